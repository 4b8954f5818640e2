// rank-host-work: the host of some ranks does what the others' do not.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Rank 1 is for so long in this range, in step 2 alone or in each.
Table Working(std::string_view range, std::int64_t us, bool in_each) {
  JobPlan plan;
  plan.steps = 6;
  plan.step = [=](int rank, int step) {
    return RankStep{
        .load = 20, .pause = range, .pause_us = rank == 1 && (in_each || step == 2) ? us : 0};
  };
  return FindingsOf(plan);
}

TEST(RankHostWork, InEveryStep) {
  const Table findings = Working("train.py(7): log", 1000, true);
  ASSERT_EQ(Rows(findings, {"id", "ranks", "steps", "what"}), "rank-host-work,1,0-5,host work\n");
  EXPECT_NEAR(Gain(findings), 100 * 1000.0 / (2370 + 20 + 1000), 1);
  const std::string places = Rows(findings, {"places"});
  EXPECT_NE(places.find("log"), std::string::npos) << places;
}

// A line is named: nothing is said of the collector.
TEST(RankHostWork, InOneStep) {
  const Table findings = Working("train.py(7): log", 1500, false);
  ASSERT_EQ(Rows(findings, {"id", "ranks", "steps"}), "rank-host-work,1,2\n");
  EXPECT_EQ(Rows(findings, {"title"}).find("collector"), std::string::npos);
}

// All do the same.
TEST(RankHostWork, OnAllIsNot) {
  JobPlan plan;
  plan.step = [](int, int) { return RankStep{.pause = "train.py(7): log", .pause_us = 1000}; };
  EXPECT_EQ(Ids(FindingsOf(plan)), "host-work\n");
}

}  // namespace
}  // namespace rankscope
