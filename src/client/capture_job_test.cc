#include "client/capture_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "client/fake_server_for_test.h"

namespace rankscope::client {
namespace {

using ::testing::ElementsAre;

// A server that leads one capture: what it says at each look, the last thing again and again.
class LeadingServer final : public http::Client {
 public:
  struct State {
    std::deque<std::string> looks;
    std::vector<std::string> requests;
  };
  explicit LeadingServer(State& state) : state_(state) {}

  Result<http::ClientReply> Send(const http::ClientRequest& request) override {
    state_.requests.push_back(request.method + " " + request.target);
    if (request.method == "POST") return http::ClientReply{201, {}, R"({"id":"7"})"};
    if (request.method == "DELETE") {
      state_.looks = {R"({"phase":"cancelled","reason":"it was cancelled"})"};
      return http::ClientReply{200, {}, "{}"};
    }
    std::string look = state_.looks.front();
    if (state_.looks.size() > 1) state_.looks.pop_front();
    return http::ClientReply{200, {}, std::move(look)};
  }
  void Abort() override {}

 private:
  State& state_;
};

class CaptureByServerTest : public ::testing::Test {
 protected:
  Result<std::string> Capture() {
    Server server(std::make_unique<LeadingServer>(state_), "http://fake");
    return CaptureByServer(
        server, {}, wait_,
        {.recording =
             [this](std::size_t processes, std::size_t hosts) {
               told_.push_back(std::to_string(processes) + " on " + std::to_string(hosts));
             },
         .recorded = [this] { told_.emplace_back("recorded"); },
         .warning =
             [this](std::string_view one) { told_.push_back("warning " + std::string(one)); },
         .missing =
             [this](std::string_view one) { told_.push_back("missing " + std::string(one)); }});
  }

  LeadingServer::State state_;
  FakeWait wait_;
  std::vector<std::string> told_;
};

TEST_F(CaptureByServerTest, ReturnsTheRunAndTellsEachThingOnce) {
  const std::string recording = R"({"phase":"recording","asked":8,"hosts":[{},{}]})";
  state_.looks = {R"({"phase":"asking"})", recording, recording,
                  R"({"phase":"done","run":"r","warnings":["w"],"missing":["rank 3"]})"};
  const Result<std::string> run = Capture();
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_EQ(*run, "r");
  EXPECT_THAT(told_, ElementsAre("8 on 2", "recorded", "warning w", "missing rank 3"));
  EXPECT_EQ(state_.requests.size(), 5u);
}

TEST_F(CaptureByServerTest, AFailureHasTheServersReason) {
  state_.looks = {R"({"phase":"failed","reason":"no process takes part"})"};
  const Result<std::string> run = Capture();
  EXPECT_EQ(run.status().code(), StatusCode::kNotFound);
  EXPECT_EQ(run.status().message(), "no process takes part");
  EXPECT_THAT(told_, ElementsAre("recorded"));
}

TEST_F(CaptureByServerTest, AStopCancelsItOnce) {
  state_.looks = {R"({"phase":"asking"})"};
  wait_.is_stopped = true;
  EXPECT_EQ(Capture().status().message(), "it was cancelled");
  EXPECT_THAT(state_.requests, ElementsAre("POST /api/v1/captures", "GET /api/v1/captures/7",
                                           "DELETE /api/v1/captures/7", "GET /api/v1/captures/7"));
}

}  // namespace
}  // namespace rankscope::client
