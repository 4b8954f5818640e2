// data-straggler: few ranks wait for their batches, and the others for these ranks.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Of four ranks `late` wait so long for each batch, the others `usual_us`.
Table LoadingDataStraggler(std::int64_t usual_us, std::int64_t late_us,
                           const std::vector<int>& late) {
  JobPlan plan;
  plan.step = [&](int rank, int) {
    const bool is_late = std::ranges::find(late, rank) != late.end();
    return RankStep{.load = is_late ? late_us : usual_us};
  };
  return FindingsOf(plan);
}

TEST(DataStraggler, OneRank) {
  const Table findings = LoadingDataStraggler(20, 520, {3});
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "steps", "time_lost_ns", "title"}),
            "data-straggler,high,3,0-3,520000,"
            "rank 3 waits 520 us a step for batches, its peers 20.0 us\n");
  EXPECT_TRUE(Rows(findings, {"places"}).starts_with(R"([{"op":"enumerate(DataLoader)#)"));
  EXPECT_NEAR(Gain(findings), OfSteps(500, 2890), 1e-9);
}

// 390 us are less than twice 200.
TEST(DataStraggler, WaitsMoreThanTwiceAsLong) {
  EXPECT_EQ(Ids(LoadingDataStraggler(200, 390, {3})), "");
  EXPECT_EQ(Ids(LoadingDataStraggler(200, 410, {3})), "data-straggler\n");
}

// 22 us more than its peers, of 2390.
TEST(DataStraggler, WaitsAPercentOfAStepMore) {
  EXPECT_EQ(Ids(LoadingDataStraggler(0, 22, {3})), "");
}

TEST(DataStraggler, HalfOfTheRanksAreNoStragglers) {
  EXPECT_EQ(Ids(LoadingDataStraggler(20, 520, {2, 3})).find("data-straggler"), std::string::npos);
}

// Nor is one of them that waits a little longer than the other: the mean of the middle two is true
// of nobody.
TEST(DataStraggler, NorIsOneOfThem) {
  JobPlan plan;
  plan.step = [](int rank, int) {
    return RankStep{.load = rank == 2 ? 520 : rank == 3 ? 560 : 10};
  };
  const Table findings = FindingsOf(plan);
  EXPECT_EQ(Rows(findings, {"id", "ranks", "title"}),
            "data-starvation,2-3,ranks 2-3 wait 540 us a step for batches, 18.5% of it; the others "
            "hardly wait for theirs\n");
  EXPECT_NEAR(Gain(findings), OfSteps(550, 2930), 0.5);
}

// Of 32 ranks whose waits scatter some wait over twice as long as the middle one; one that lies
// beyond all that is out of line.
TEST(DataStraggler, IsBeyondWhatPeersScatter) {
  const auto loading = [](std::int64_t late_us) {
    JobPlan plan;
    plan.ranks = 32;
    plan.step = [=](int rank, int) {
      const double away = (rank - 15.5) / 15.5;  // from 87 to 460 us, 200 in the middle
      return RankStep{.load = rank == 7 && late_us > 0
                                  ? late_us
                                  : static_cast<std::int64_t>(200 * std::exp(0.833 * away))};
    };
    return Ids(FindingsOf(plan));
  };
  EXPECT_EQ(loading(0).find("data-straggler"), std::string::npos);
  EXPECT_NE(loading(9000).find("data-straggler"), std::string::npos);
}

// One batch came late: that step is told, of those that count, and what it takes there.
TEST(DataStraggler, TellsInWhichStep) {
  JobPlan plan;
  plan.step = [](int rank, int step) {
    return RankStep{.load = rank == 3 && step == 2 ? 5020 : 20};
  };
  EXPECT_EQ(Rows(FindingsOf(plan), {"id", "ranks", "steps", "title"}),
            "data-straggler,3,2,rank 3 waits 1.69 ms a step for batches, its peers 20.0 us: "
            "5.02 ms in 1 step of 3\n");
}

// Rank 1 waits in every step, rank 3 in one of eight: only the former is a straggler.
TEST(DataStraggler, OneBatchThatComesLateIsAnotherCause) {
  JobPlan plan;
  plan.steps = 8;
  plan.step = [](int rank, int step) {
    return RankStep{.load = rank == 1 ? 520 : rank == 3 && step == 5 ? 3000 : 20};
  };
  const Table findings = FindingsOf(plan);
  EXPECT_TRUE(Rows(findings, {"id", "ranks"}).starts_with("data-straggler,1\n"))
      << Rows(findings, {"id", "ranks", "steps", "title"});
  EXPECT_EQ(Ids(findings).find("data-starvation"), std::string::npos);
}

}  // namespace
}  // namespace rankscope
