// network-jitter: single transfers take far longer than their like.
#include <gtest/gtest.h>

#include <vector>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Of eight steps two have another transfer.
Table Transfers(std::int64_t usual_us, std::int64_t in_steps_3_and_5) {
  JobPlan plan;
  plan.steps = 8;
  plan.step = [=](int, int step) {
    return RankStep{.product = 200,
                    .transfer = step == 3 || step == 5 ? in_steps_3_and_5 : usual_us};
  };
  return FindingsOf(plan);
}

// Two of the seven steps that count take 3 ms more.
TEST(NetworkJitter, SingleTransfers) {
  const Table findings = Transfers(100, 3100);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "steps", "gain_method", "title"}),
            "network-jitter,high,0-3,3,5,replay,"
            "2 of 7 transfers take x2 and more longer than their like, 3.00 ms in the mean\n");
  // Of seven steps of 570 us and what is too long.
  EXPECT_NEAR(Gain(findings), 100 * 6000.0 / (7 * 570 + 6000), 1e-9);
}

TEST(NetworkJitter, TakesTwiceTheUsualTime) {
  EXPECT_EQ(Ids(Transfers(400, 810)), "network-jitter\n");
  EXPECT_EQ(Ids(Transfers(400, 790)).find("network-jitter"), std::string::npos);
}

// Two groups of two ranks, in each one transfer that takes long. Three alike do not tell what is
// usual.
TEST(NetworkJitter, NeedsFourAlike) {
  JobPlan plan;
  plan.group = [](int rank) { return rank < 2 ? std::vector{0, 1} : std::vector{2, 3}; };
  plan.step = [](int, int step) { return RankStep{.transfer = step == 1 ? 3100 : 100}; };
  plan.steps = 3;
  EXPECT_EQ(Ids(FindingsOf(plan)), "");
  plan.steps = 6;
  EXPECT_EQ(Ids(FindingsOf(plan)), "network-jitter\n");
}

// One spike in eight steps is told as well.
TEST(NetworkJitter, OneTransfer) {
  JobPlan plan;
  plan.steps = 8;
  plan.step = [](int, int step) { return RankStep{.transfer = step == 3 ? 3100 : 100}; };
  EXPECT_EQ(Rows(FindingsOf(plan), {"id", "steps"}), "network-jitter,3\n");
}

// The all-reduces of the others are as long while they wait for rank 1.
TEST(NetworkJitter, WaitingForALateRankIsNone) {
  JobPlan plan;
  plan.steps = 8;
  plan.step = [](int rank, int step) {
    const bool is_late = rank == 1 && (step == 3 || step == 5);
    return RankStep{.load = 20, .pause = "train.py(7): think", .pause_us = is_late ? 3000 : 0};
  };
  EXPECT_EQ(Ids(FindingsOf(plan)), "rank-host-work\n");
}

}  // namespace
}  // namespace rankscope
