#include "client/capture_beside.h"

#include <gtest/gtest.h>

#include <atomic>

namespace rankscope::client {
namespace {

// Leads one capture, which records until it is told to be over.
class LeadingTransport final : public http::Client {
 public:
  struct State {
    std::atomic<bool> is_over = false;
    std::atomic<int> cancelled = 0;
  };
  explicit LeadingTransport(State& state) : state_(state) {}

  Result<http::ClientReply> Send(const http::ClientRequest& request) override {
    if (request.method == "POST") return http::ClientReply{201, {}, R"({"id":"7"})"};
    if (request.method == "DELETE") {
      ++state_.cancelled;
      return http::ClientReply{200, {}, "{}"};
    }
    if (request.target.ends_with("/files"))
      return http::ClientReply{200, {}, R"({"files":[{"name":"a","sha256":""},{"name":"b"}]})"};
    if (state_.cancelled > 0)
      return http::ClientReply{200, {}, R"({"phase":"cancelled","reason":"it was cancelled"})"};
    return http::ClientReply{200,
                             {},
                             state_.is_over ? R"({"phase":"done","run":"r","warnings":["w","x"]})"
                                            : R"({"phase":"recording","asked":2,"hosts":[{}]})"};
  }
  void Abort() override {}

 private:
  State& state_;
};

TEST(CaptureBeside, NeedsWorkUntilItIsRecorded) {
  LeadingTransport::State state;
  Server server(std::make_shared<LeadingTransport>(state), "http://fake");
  CaptureBeside capture(server, {}, nullptr);
  EXPECT_TRUE(capture.NeedsWork());
  state.is_over = true;
  const CapturedBeside captured = capture.End();
  EXPECT_FALSE(capture.NeedsWork());
  ASSERT_TRUE(captured.run.ok()) << captured.run.status().message();
  EXPECT_EQ(*captured.run, "r");
  EXPECT_EQ(captured.files, 2U);
  EXPECT_EQ(captured.problem, "w");
}

TEST(CaptureBeside, IsCancelledWhenItIsStoppedOrGivenUp) {
  LeadingTransport::State state;
  Server server(std::make_shared<LeadingTransport>(state), "http://fake");
  {
    CaptureBeside capture(server, {}, [] { return true; });
    const CapturedBeside captured = capture.End();
    EXPECT_EQ(captured.run.status().message(), "it was cancelled");
    EXPECT_FALSE(capture.NeedsWork());
  }
  EXPECT_EQ(state.cancelled, 1);
  LeadingTransport::State other;
  Server another(std::make_shared<LeadingTransport>(other), "http://fake");
  { const CaptureBeside capture(another, {}, nullptr); }
  EXPECT_EQ(other.cancelled, 1);
}

}  // namespace
}  // namespace rankscope::client
