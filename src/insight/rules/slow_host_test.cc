// slow-host: the processor of a rank is slower than its peers'.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
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

// Four stages of one rank each, each with 20 ops of 30 us that launch a kernel in calls of 5; the
// host of a stage takes so many times as long for both. Then all exchange when the last has come.
Told TellOfStagesThatLaunch(const std::vector<double>& times) {
  const double longest = *std::ranges::max_element(times);
  std::vector<Body> bodies;
  for (const double of : times) {
    bodies.emplace_back([=](Program& of_rank, int) {
      for (int i = 0; i < 20; ++i) {
        of_rank.HostOp("aten::linear", std::llround(30 * of));
        of_rank.LaunchesSlowly("gemm", 2, std::llround(5 * of));
      }
      TraceForTest::Collective exchange{.name = "allreduce", .in = 1'000'000, .out = 1'000'000};
      exchange.group = "pp";
      exchange.ranks = "[0, 1, 2, 3]";
      exchange.size = 4;
      exchange.description = "PIPELINE_MODEL_PARALLEL_GROUP";
      of_rank.Exchange(exchange, 20 + std::llround(20 * 35 * (longest - of)));
      of_rank.Synchronise();
    });
  }
  return TellOfRanks(bodies);
}

// No stage has peers; what launching costs tells.
TEST(SlowHost, OfAStageWithoutPeers) {
  const Told told = TellOfStagesThatLaunch({1, 1, 3, 1});
  EXPECT_EQ(told.first(), "slow-host");
  EXPECT_EQ(told.ranks, "2");
  EXPECT_NEAR(told.gain, 100 * 20.0 * 70 / told.mean_step, 1.5);
}

// Those on one of two nodes.
TEST(SlowHost, HalfOfTheStages) {
  const Told told = TellOfStagesThatLaunch({1, 1, 3, 3});
  EXPECT_EQ(told.first(), "slow-host");
  EXPECT_EQ(told.ranks, "2-3");
  EXPECT_NEAR(told.gain, 100 * 20.0 * 70 / told.mean_step, 1.5);
  EXPECT_NE(told.title.find("the hosts of ranks 2-3 are"), std::string::npos) << told.title;
  EXPECT_FALSE(TellOfStagesThatLaunch({1, 1, 1.32, 1.32}).Has("slow-host"));
}

// A stage that computes on its CPU what others launch: its launch calls are as fast as theirs.
TEST(SlowHost, AStageThatComputesOnItsHost) {
  const auto stage = [](bool on_host) {
    return [=](Program& of, int) {
      for (int i = 0; i < 40; ++i) {
        if (on_host)
          of.HostOp("aten::add", 80);
        else
          of.Op("aten::add", "elementwise", 2);
        of.Launches("gemm", 2, false);
      }
      TraceForTest::Collective exchange{.name = "allreduce", .in = 1'000'000, .out = 1'000'000};
      exchange.group = "pp";
      exchange.ranks = "[0, 1, 2]";
      exchange.size = 3;
      exchange.description = "PIPELINE_MODEL_PARALLEL_GROUP";
      of.Exchange(exchange, on_host ? 20 : 20 + 40 * 70);
      of.Synchronise();
    };
  };
  EXPECT_FALSE(TellOfRanks({stage(false), stage(true), stage(false)}).Has("slow-host"));
}

TEST(SlowHost, StagesThatLaunchAlike) {
  EXPECT_FALSE(TellOfStagesThatLaunch({1, 1.04, 1.1, 1}).Has("slow-host"));
}

}  // namespace
}  // namespace rankscope
