#include "client/patient_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/fake_server_for_test.h"
#include "client/server.h"

namespace rankscope::client {
namespace {

using ::testing::HasSubstr;

class PatientClientTest : public ::testing::Test {
 protected:
  Server Patient(int seconds) {
    Server server(std::make_unique<FakeTransport>(fake_), "http://fake");
    server.BePatient(
        wait_, {.time = std::chrono::seconds(seconds),
                .on_first_wait = [this](const Status& why) { told_.push_back(why.message()); }});
    return server;
  }

  FakeServer fake_;
  FakeWait wait_;
  std::vector<std::string> told_;
};

TEST_F(PatientClientTest, AsksUntilTheServerIsThereAndTellsOnce) {
  fake_.busy = 3;
  ASSERT_TRUE(Patient(60).Run(FakeServer::kRun).ok());
  EXPECT_EQ(fake_.requests.size(), 4u);
  EXPECT_EQ(wait_.slept(), std::chrono::milliseconds(250 + 500 + 1000));
  ASSERT_EQ(told_.size(), 1u);
  EXPECT_THAT(told_[0], HasSubstr("it starts"));
}

TEST_F(PatientClientTest, PatienceEnds) {
  fake_.busy = 1'000'000;
  const Result<RunStatus> run = Patient(10).Run(FakeServer::kRun);
  EXPECT_EQ(run.status().code(), StatusCode::kIo);
  EXPECT_LE(wait_.slept(), std::chrono::seconds(10));
}

TEST_F(PatientClientTest, WithoutPatienceARequestIsSentOnce) {
  fake_.busy = 1;
  EXPECT_FALSE(Patient(0).Run(FakeServer::kRun).ok());
  EXPECT_EQ(fake_.requests.size(), 1u);
  EXPECT_TRUE(told_.empty());
}

TEST_F(PatientClientTest, AStopEndsIt) {
  fake_.busy = 1'000'000;
  wait_.is_stopped = true;
  EXPECT_EQ(Patient(60).Run(FakeServer::kRun).status().code(), StatusCode::kCancelled);
}

TEST(MayPass, IsOfBusyAndAbsentServersAlone) {
  EXPECT_TRUE(MayPass(http::ClientReply{.status = 429}));
  EXPECT_TRUE(MayPass(http::ClientReply{.status = 503}));
  EXPECT_TRUE(MayPass(Error(StatusCode::kIo, "no route")));
  EXPECT_FALSE(MayPass(Error(StatusCode::kCancelled, "stopped")));
  EXPECT_FALSE(MayPass(http::ClientReply{.status = 404}));
  EXPECT_FALSE(MayPass(http::ClientReply{.status = 200}));
}

}  // namespace
}  // namespace rankscope::client
