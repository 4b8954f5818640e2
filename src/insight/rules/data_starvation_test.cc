// data-starvation: all hosts wait for their batches.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

Table LoadingDataStarvation(std::int64_t us, std::int64_t product_us = 2000) {
  JobPlan plan;
  plan.step = [=](int, int) { return RankStep{.load = us, .product = product_us}; };
  return FindingsOf(plan);
}

TEST(DataStarvation, OnAllRanks) {
  const Table findings = LoadingDataStarvation(500);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "who", "steps", "title"}),
            "data-starvation,high,0-3,all ranks,0-3,"
            "the hosts wait 500 us a step for batches, 17.5% of it\n");
  EXPECT_TRUE(Rows(findings, {"places"}).starts_with(R"([{"op":"enumerate(DataLoader)#)"));
  EXPECT_NEAR(Gain(findings), OfSteps(500, 2870), 1e-9);
}

TEST(DataStarvation, ABatchThatIsReadyIsHandedOverIn400Microseconds) {
  EXPECT_EQ(Ids(LoadingDataStarvation(390)), "");
  EXPECT_EQ(Ids(LoadingDataStarvation(410)), "data-starvation\n");
}

// So is each of the batches of a step: six micro-batches fetch for 180 us each.
TEST(DataStarvation, EachMicroBatchHasABatchOfItsOwn) {
  const auto fetching = [](std::int64_t us) {
    return TellOf([=](Program& of, int) {
      for (int i = 0; i < 6; ++i) {
        of.Range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__",
                 [&] { of.Idles(us); });
        of.Products(3);
        of.Synchronise();
      }
    });
  };
  EXPECT_FALSE(fetching(180).Has("data-starvation"));
  EXPECT_TRUE(fetching(450).Has("data-starvation"));
}

// Two of four hosts take 2.5 times as long for all that they do, for batches that are ready, too.
TEST(DataStarvation, SlowHostsTakeReadyBatchesSlowly) {
  const auto of_half = [](std::int64_t op_us) {
    JobPlan plan;
    plan.step = [=](int rank, int) {
      return rank >= 2 ? RankStep{.load = 500, .op = op_us} : RankStep{.load = 200, .op = 400};
    };
    return Ids(FindingsOf(plan));
  };
  EXPECT_EQ(of_half(1000).find("data-starvation"), std::string::npos) << of_half(1000);
  EXPECT_NE(of_half(400).find("data-starvation"), std::string::npos) << of_half(400);
}

// 500 of 60870 us.
TEST(DataStarvation, LessThanAPercentOfAStep) {
  EXPECT_EQ(Ids(LoadingDataStarvation(500, 60'000)), "");
}

// Workers that start anew with an epoch, say.
TEST(DataStarvation, TellsInWhichStep) {
  JobPlan plan;
  plan.step = [](int, int step) { return RankStep{.load = step == 2 ? 6000 : 100}; };
  EXPECT_EQ(Rows(FindingsOf(plan), {"id", "steps", "title"}),
            "data-starvation,2,the hosts wait 2.07 ms a step for batches, 46.6% of it: 6.00 ms in "
            "1 step of 3\n");
}

TEST(DataStarvation, TellsTheMeanOfTheStepsThatWait) {
  JobPlan plan;
  plan.steps = 9;
  plan.step = [](int, int step) {
    return RankStep{.load = step == 3 ? 4000 : step == 6 ? 8000 : 100};
  };
  const std::string told = Rows(FindingsOf(plan), {"id", "title"});
  EXPECT_TRUE(told.starts_with("data-starvation,")) << told;
  EXPECT_NE(told.find(": 6.00 ms in 2 steps of "), std::string::npos) << told;
  EXPECT_NE(told.find("(the mean of the steps that have it)"), std::string::npos) << told;
}

// Each rank waits in one step of four, and the others for it.
TEST(DataStarvation, OnAnotherRankInEachStep) {
  JobPlan plan;
  plan.steps = 9;
  plan.step = [](int rank, int step) {
    return RankStep{.load = (step * 3 + step / 4) % 4 == rank ? 3000 : 100};
  };
  const std::string told = Rows(FindingsOf(plan), {"id", "ranks", "title"});
  EXPECT_TRUE(told.starts_with("data-starvation,0-3,")) << told;
  EXPECT_NE(told.find("1 of the 4 ranks, from step to step another one, waits for its batch, 3.00 "
                      "ms a step, and the others for it"),
            std::string::npos)
      << told;
}

TEST(DataStarvation, ALoaderWithoutWorkersIsNotWaitedFor) {
  JobPlan plan;
  plan.loader = "SingleProcess";
  plan.step = [](int, int) { return RankStep{.load = 500}; };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "title"}),
            "data-starvation,the hosts make their batches themselves (num_workers=0), 500 us a "
            "step, 17.5% of it\n");
  EXPECT_TRUE(Rows(findings, {"recommendation"}).find("other processes make batches") !=
              std::string::npos);
}

TEST(DataStarvation, OneRankIsAStraggler) {
  JobPlan plan;
  plan.step = [](int rank, int) { return RankStep{.load = rank == 3 ? 520 : 20}; };
  EXPECT_EQ(Ids(FindingsOf(plan)), "data-straggler\n");
}

}  // namespace
}  // namespace rankscope
