// gc-pause: Python stops for garbage collection.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Rank 1 is for so long in this range in step 2 of so many.
Table In(std::string_view range, std::int64_t us, int steps = 4, std::int64_t load_us = 20) {
  JobPlan plan;
  plan.steps = steps;
  plan.step = [=](int rank, int step) {
    return RankStep{.load = load_us, .pause = range, .pause_us = rank == 1 && step == 2 ? us : 0};
  };
  return FindingsOf(plan);
}

TEST(GcPause, InTheCollectorsFrame) {
  const Table findings = In("<built-in function collect>", 1500);
  ASSERT_EQ(Rows(findings, {"id", "severity", "ranks", "steps"}), "gc-pause,high,1,2\n");
  EXPECT_EQ(IntCell(findings, 0, "gain_ns"), 1500 * kUsForTest / 3);
}

// That nothing names what runs costs 45: such a stretch is there in every step.
TEST(GcPause, InNoOp) {
  const Table findings = In("train.py(7): think", 1500);
  ASSERT_EQ(Rows(findings, {"id", "severity", "ranks", "steps"}), "gc-pause,high,1,2\n");
  EXPECT_EQ(IntCell(findings, 0, "gain_ns"), 1455 * kUsForTest / 3);
}

// The pause is the first of its step, right behind what the host does last in the step before.
TEST(GcPause, AtTheBeginOfAStepIsOfThatStep) {
  EXPECT_EQ(Rows(In("train.py(7): think", 1500, 4, 0), {"id", "ranks", "steps"}), "gc-pause,1,2\n");
}

TEST(GcPause, TakesAMillisecondMoreThanItsLike) {
  EXPECT_EQ(Ids(In("train.py(7): think", 1100)), "gc-pause\n");
  EXPECT_EQ(Ids(In("train.py(7): think", 900)), "");
}

// As long in all steps and on all ranks: that is the program.
TEST(GcPause, AStretchOfEveryStepIsNone) {
  JobPlan plan;
  plan.step = [](int, int) { return RankStep{.pause = "train.py(7): think", .pause_us = 1500}; };
  EXPECT_EQ(Ids(FindingsOf(plan)), "");
}

// An op that takes as long says what runs.
TEST(GcPause, AnOpIsNone) {
  JobPlan plan;
  plan.steps = 8;
  plan.step = [](int rank, int step) {
    return RankStep{.op = rank == 1 && step == 2 ? 1700 : 200};
  };
  EXPECT_EQ(Ids(FindingsOf(plan)).find("gc-pause"), std::string::npos);
}

}  // namespace
}  // namespace rankscope
