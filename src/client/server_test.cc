#include "client/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Says one thing, whatever it is asked.
class OneReply final : public http::Client {
 public:
  OneReply(http::ClientReply reply, std::string& asked) : reply_(std::move(reply)), asked_(asked) {}
  Result<http::ClientReply> Send(const http::ClientRequest& request) override {
    asked_ = request.method + " " + request.target + " " + std::string(request.text);
    return reply_;
  }
  void Abort() override {}

 private:
  const http::ClientReply reply_;
  std::string& asked_;
};

class ServerTest : public ::testing::Test {
 protected:
  Server Saying(int status, std::string body) {
    return Server(
        std::make_unique<OneReply>(http::ClientReply{status, {}, std::move(body)}, asked_),
        "http://fake");
  }
  std::string asked_;
};

TEST_F(ServerTest, ReadsACapture) {
  const Result<CaptureStatus> capture =
      Saying(200,
             R"({"phase":"recording","asked":8,"hosts":[{},{}],"warnings":["w"],"missing":["m"]})")
          .Capture("7");
  ASSERT_TRUE(capture.ok()) << capture.status().message();
  EXPECT_EQ(asked_, "GET /api/v1/captures/7 ");
  EXPECT_EQ(capture->phase, capture::Phase::kRecording);
  EXPECT_EQ(capture->asked, 8);
  EXPECT_EQ(capture->hosts, 2u);
  EXPECT_THAT(capture->warnings, ElementsAre("w"));
  EXPECT_THAT(capture->missing, ElementsAre("m"));
}

TEST_F(ServerTest, SaysAllOfACaptureThatIsAskedFor) {
  capture::CaptureRequest request;
  request.name = "a \"name\"";
  request.steps = 3;
  request.pids = {1, 2};
  ASSERT_TRUE(Saying(201, R"({"id":"7"})").StartCapture(request).ok());
  EXPECT_THAT(asked_, HasSubstr(R"("name":"a \"name\"")"));
  EXPECT_THAT(asked_, HasSubstr(R"("steps":3)"));
  EXPECT_THAT(asked_, HasSubstr(R"("pids":[1,2])"));
}

TEST_F(ServerTest, ARunIsMadeOfWhatIsSaidOfIt) {
  store::Run run;
  run.name = "llama";
  run.team = "search";
  run.tags = {{"keep", ""}, {"ticket", "42"}};
  const Result<RunStatus> made =
      Saying(201, R"({"id":"0123456789abcdef","state":"uploading"})").MakeRun(run, "key");
  ASSERT_TRUE(made.ok()) << made.status().message();
  EXPECT_EQ(
      asked_,
      R"(POST /api/v1/runs {"name":"llama","user":"","team":"search","model":"","product":"",)"
      R"("framework":"","hardware":"","tags":{"keep":"","ticket":"42"}})");
}

TEST_F(ServerTest, WhatIsRefusedIsAnErrorInTheServersWords) {
  const Result<RunStatus> run =
      Saying(404, R"({"error":{"message":"there is no such run"}})").Run("0123456789abcdef");
  EXPECT_EQ(run.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(run.status().message(), HasSubstr("there is no such run"));
}

TEST_F(ServerTest, WhatIsNoRankscopeIsBadData) {
  for (const char* body : {"<html>", "{}", R"({"id":"../x","state":"ready"})",
                           R"({"id":"0123456789abcdef","state":"odd"})"}) {
    const Result<RunStatus> run = Saying(200, body).Run("0123456789abcdef");
    EXPECT_EQ(run.status().code(), StatusCode::kBadData) << body;
    EXPECT_THAT(run.status().message(), HasSubstr("http://fake")) << body;
  }
  EXPECT_EQ(Saying(200, "{}").Capture("7").status().code(), StatusCode::kBadData);
  EXPECT_EQ(Saying(200, "{}").StartCapture({}).status().code(), StatusCode::kBadData);
  EXPECT_EQ(Saying(200, "{}").Files("0123456789abcdef").status().code(), StatusCode::kBadData);
}

TEST_F(ServerTest, NamesThePageOfARun) {
  EXPECT_EQ(Saying(200, "").PageOf("0123456789abcdef"), "http://fake/runs/0123456789abcdef");
}

TEST(ServerAccess, AnAddressThatIsNoneIsRefused) {
  EXPECT_EQ(Server::Connect({.url = "nonsense"}).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(ServerTest, AsksForRows) {
  const auto rows = Saying(200, "{}").Rows("0123456789abcdef", {.table = "hta.a b",
                                                                .filter = {"rank=3", "name~a&b"},
                                                                .sort = {"-total_ns", "name"},
                                                                .columns = {"name"},
                                                                .limit = 5,
                                                                .settings = {{"top", "2"}}});
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(asked_,
            "GET /api/v1/runs/0123456789abcdef/tables/hta.a%20b?limit=5&filter=rank%3D3"
            "&filter=name~a%26b&set=top%3D2&sort=-total_ns%2Cname&columns=name ");
}

TEST_F(ServerTest, AsksForWhatIsComputed) {
  Server server = Saying(200, "{}");
  ASSERT_TRUE(server.Query("0123456789abcdef", "SELECT 1").ok());
  EXPECT_THAT(asked_, HasSubstr("POST /api/v1/runs/0123456789abcdef/query {\"sql\":\"SELECT 1\""));
  ASSERT_TRUE(server.WhatIf("0123456789abcdef", {"a", "b"}).ok());
  EXPECT_THAT(asked_, HasSubstr(R"({"changes":["a","b"]})"));
  ASSERT_TRUE(server.Diff("a", "b&c").ok());
  EXPECT_EQ(asked_, "GET /api/v1/diff?base=a&test=b%26c ");
}

TEST_F(ServerTest, FindsTheNewestRun) {
  const auto run =
      Saying(200, R"({"runs":[{"id":"0123456789abcdef","state":"ready"}]})").NewestRun();
  ASSERT_TRUE(run.ok()) << run.status().message();
  EXPECT_EQ(run->id, "0123456789abcdef");
  EXPECT_EQ(asked_, "GET /api/v1/runs?state=ready&limit=1 ");
  EXPECT_EQ(Saying(200, R"({"runs":[]})").NewestRun().status().code(), StatusCode::kNotFound);
  EXPECT_EQ(Saying(200, "[]").NewestRun().status().code(), StatusCode::kBadData);
}

}  // namespace
}  // namespace rankscope::client
