#include "app/sql_session.h"

#include <gtest/gtest.h>

#include "app/small_job_for_test.h"

namespace rankscope::app {
namespace {

class SqlSessionTest : public SmallJobTest {
 protected:
  void SetUp() override {
    SmallJobTest::SetUp();
    auto job = OpenJob(spec_, {}, heard_);
    ASSERT_TRUE(job.ok()) << job.status().message();
    job_ = std::move(*job);
  }

  std::unique_ptr<SqlSession> Open(const SqlOptions& options = {}) {
    auto session = SqlSession::Open(*job_, options);
    EXPECT_TRUE(session.ok()) << session.status().message();
    return session.ok() ? std::move(*session) : nullptr;
  }

  std::unique_ptr<OpenedJob> job_;
};

TEST_F(SqlSessionTest, SeesEventsAndTables) {
  const auto session = Open();
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->recordings(), 2u);
  const Result<Table> kernels = session->Run("SELECT count(*) FROM kernels");
  ASSERT_TRUE(kernels.ok()) << kernels.status().message();
  EXPECT_EQ(kernels->Int(0, 0), 4);
  EXPECT_TRUE(session->Run("FROM captures").ok());
}

TEST_F(SqlSessionTest, WhatStatementsCreateStays) {
  const auto session = Open();
  ASSERT_NE(session, nullptr);
  ASSERT_TRUE(session->Run("CREATE TABLE mine AS SELECT 7 AS x").ok());
  std::size_t rows = 0;
  const Status streamed = session->Stream("FROM mine", [&](const Table& part) {
    rows += part.row_count();
    return OkStatus();
  });
  EXPECT_TRUE(streamed.ok()) << streamed.message();
  EXPECT_EQ(rows, 1u);
}

TEST_F(SqlSessionTest, MistakesAndWhatIsForbiddenAreUsageErrors) {
  const auto session = Open({.select_only = true});
  ASSERT_NE(session, nullptr);
  EXPECT_EQ(session->Run("SELEC 1").status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(session->Run("CREATE TABLE mine AS SELECT 7 AS x").ok());
  EXPECT_FALSE(session->Run("FROM read_csv('/etc/passwd')").ok());
}

}  // namespace
}  // namespace rankscope::app
