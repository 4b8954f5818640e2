// slow-host: the processor of a rank is slower than its peers'.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "insight/job_plan_for_test.h"
#include "insight/program_for_test.h"

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

// Four stages of one rank each, whose 20 ops take what `op_us` says by stage and launch a kernel
// each; then all exchange when the last has come.
Told TellOfStagesThatLaunch(const std::vector<std::int64_t>& op_us) {
  const std::int64_t longest = *std::ranges::max_element(op_us);
  std::vector<Body> bodies;
  for (const std::int64_t us : op_us) {
    bodies.emplace_back([=](Program& of, int) {
      for (int i = 0; i < 20; ++i) {
        of.HostOp("aten::linear", us);
        of.Launches("gemm", 2, false);
      }
      TraceForTest::Collective exchange{.name = "allreduce", .in = 1'000'000, .out = 1'000'000};
      exchange.group = "pp";
      exchange.ranks = "[0, 1, 2, 3]";
      exchange.size = 4;
      exchange.description = "PIPELINE_MODEL_PARALLEL_GROUP";
      of.Exchange(exchange, 20 + 20 * (longest - us));
      of.Synchronise();
    });
  }
  return TellOfRanks(bodies);
}

// No stage has peers; what an op costs tells.
TEST(SlowHost, OfAStageWithoutPeers) {
  const Told told = TellOfStagesThatLaunch({50, 50, 150, 50});
  EXPECT_EQ(told.first(), "slow-host");
  EXPECT_EQ(told.ranks, "2");
  EXPECT_NEAR(told.gain, 100 * 20.0 * 100 / told.mean_step, 0.5);
}

// Those on one of two nodes.
TEST(SlowHost, HalfOfTheStages) {
  const Told told = TellOfStagesThatLaunch({50, 50, 150, 150});
  EXPECT_EQ(told.first(), "slow-host");
  EXPECT_EQ(told.ranks, "2-3");
  EXPECT_NEAR(told.gain, 100 * 20.0 * 100 / told.mean_step, 0.5);
  EXPECT_NE(told.title.find("the hosts of ranks 2-3 are"), std::string::npos) << told.title;
  EXPECT_FALSE(TellOfStagesThatLaunch({50, 50, 66, 66}).Has("slow-host"));
}

TEST(SlowHost, StagesThatLaunchAlike) {
  EXPECT_FALSE(TellOfStagesThatLaunch({50, 52, 55, 50}).Has("slow-host"));
}

}  // namespace
}  // namespace rankscope
