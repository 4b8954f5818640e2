// slow-host: the processor of a rank is slower than its peers'.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Of eight steps; in one of them alone where `only_step` is not -1.
Table OfOps(std::int64_t of_rank_1_us, int only_step = -1) {
  JobPlan plan;
  plan.steps = 8;
  plan.step = [=](int rank, int step) {
    const bool is_slow = rank == 1 && (only_step == -1 || step == only_step);
    return RankStep{.op = is_slow ? of_rank_1_us : 200};
  };
  return FindingsOf(plan);
}

TEST(SlowHost, OneHost) {
  JobPlan plan;
  plan.step = [](int rank, int) { return RankStep{.op = rank == 1 ? 800 : 200}; };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "steps"}), "slow-host,high,1,0-3\n");
  EXPECT_TRUE(Rows(findings, {"places"}).starts_with(R"([{"op":"aten::mm")"));
  EXPECT_NEAR(Gain(findings), OfSteps(600, 2970), 1e-9);
}

// Of the op of 210 us and two launches of 5 by the plan: 60 us more are x1.27, 40 are x1.18.
TEST(SlowHost, BeginsAbove25Percent) {
  EXPECT_EQ(Ids(OfOps(260)), "slow-host\n");
  EXPECT_EQ(Ids(OfOps(240)), "");
}

// In one step 1500 us more: twice as long in all, of which about half is in that step.
TEST(SlowHost, IsSlowMostOfTheTime) {
  EXPECT_EQ(Ids(OfOps(1700, 2)).find("slow-host"), std::string::npos);
}

// The rank is late, but in the loader.
TEST(SlowHost, WaitsForBatchesAreNotItsSpeed) {
  JobPlan plan;
  plan.step = [](int rank, int) { return RankStep{.load = rank == 1 ? 620 : 20}; };
  EXPECT_EQ(Ids(FindingsOf(plan)).find("slow-host"), std::string::npos);
}

}  // namespace
}  // namespace rankscope
