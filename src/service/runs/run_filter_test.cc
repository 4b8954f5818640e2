#include "service/runs/run_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::service {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kOthers[] = {"limit"};

bool Wants(const http::Fields& query, const store::Run& run) {
  const auto criteria = RunFilterOf(query, kOthers);
  return criteria.ok() && store::FulfilsAll(run, *criteria);
}

TEST(RunFilter, TakesOneOfEachName) {
  store::Run run{.id = "0123", .name = "a"};
  run.user = "ann";
  run.state = store::RunState::kReady;
  run.tags = {{"branch", "main"}, {"keep", ""}};
  EXPECT_TRUE(Wants({{"limit", "5"}}, run));
  EXPECT_TRUE(Wants({{"id", "0123"}, {"name", "a"}, {"user", "ann"}, {"team", ""}}, run));
  EXPECT_TRUE(Wants({{"user", "bob"}, {"user", "ann"}}, run));
  EXPECT_FALSE(Wants({{"user", "ann"}, {"name", "b"}}, run));
  EXPECT_TRUE(Wants({{"state", "failed"}, {"state", "ready"}}, run));
  EXPECT_TRUE(Wants({{"tag", "branch"}}, run));
  EXPECT_TRUE(Wants({{"tag", "branch=main"}}, run));
  EXPECT_TRUE(Wants({{"tag", "keep="}}, run));
  EXPECT_FALSE(Wants({{"tag", "branch=other"}}, run));
  EXPECT_FALSE(Wants({{"tag", "commit"}}, run));
}

TEST(RunFilter, RefusesOtherNames) {
  EXPECT_THAT(RunFilterOf({{"colour", "red"}}, kOthers).status().message(), HasSubstr("'colour'"));
  EXPECT_TRUE(RunFilterOf({{"limit", "1"}}, kOthers)->empty());
}

}  // namespace
}  // namespace rankscope::service
