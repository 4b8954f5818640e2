// A run that is added to while what makes its files goes on.
#include "client/live_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "client/fake_server_for_test.h"

namespace rankscope::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LiveRunTest : public ::testing::Test {
 protected:
  LiveRunTest() : path_(::testing::TempDir() + "live_run.json") {}

  std::vector<store::LocalFile> Now(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return {{.name = "tune.json", .path = path_}};
  }
  LiveRun Begin() {
    return LiveRun::Begin(Server(std::make_shared<FakeTransport>(fake_), "http://server"), {})
        .value();
  }

  FakeServer fake_;
  const std::string path_;
};

TEST_F(LiveRunTest, EachTimeTheFilesTakeThePlaceOfThoseOfBefore) {
  LiveRun run = Begin();
  EXPECT_EQ(run.page(), std::string("http://server/runs/") + FakeServer::kRun);
  EXPECT_TRUE(run.Send(Now("one")).value());
  fake_.state = "ready";
  EXPECT_TRUE(run.Send(Now("two")).value());
  EXPECT_EQ(fake_.files["tune.json"].bytes, "two");
  const std::string at = std::string("/api/v1/runs/") + FakeServer::kRun;
  EXPECT_THAT(fake_.requests,
              ElementsAre("POST /api/v1/runs", "PUT " + at + "/files/tune.json",
                          "POST " + at + "/finish", "GET " + at, "POST " + at + "/reopen",
                          "PUT " + at + "/files/tune.json", "POST " + at + "/finish"));
}

// The next one has more.
TEST_F(LiveRunTest, NothingIsSentWhileTheReportBeforeIsBeingMade) {
  LiveRun run = Begin();
  EXPECT_TRUE(run.Send(Now("one")).value());
  fake_.state = "analysing";
  EXPECT_FALSE(run.Send(Now("two")).value());
  EXPECT_EQ(fake_.files["tune.json"].bytes, "one");
}

TEST_F(LiveRunTest, WhatWasCutOffIsSaid) {
  LiveRun run = Begin();
  fake_.cuts = 1;
  const auto sent = run.Send(Now("one"));
  ASSERT_FALSE(sent.ok());
  EXPECT_EQ(sent.status().code(), StatusCode::kIo);
}

}  // namespace
}  // namespace rankscope::client
