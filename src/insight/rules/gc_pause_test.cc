// gc-pause: Python stops for garbage collection.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Rank 1 is for so long in this range in step 2 of so many.
Table In(std::string_view range, std::int64_t us, int steps = 4) {
  JobPlan plan;
  plan.steps = steps;
  plan.step = [=](int rank, int step) {
    return RankStep{.load = 20, .pause = range, .pause_us = rank == 1 && step == 2 ? us : 0};
  };
  return FindingsOf(plan);
}

TEST(GcPause, InTheCollectorsFrame) {
  const Table findings = In("<built-in function collect>", 1500);
  ASSERT_EQ(Rows(findings, {"id", "severity", "ranks", "steps", "what"}),
            "gc-pause,high,1,2,host work\n");
  EXPECT_EQ(IntCell(findings, 0, "gain_ns"), 1500 * kUsForTest / 3);
}

// The frame says what runs, and that is not the collector.
TEST(GcPause, ANamedFrameForbidsIt) {
  EXPECT_EQ(Rows(In("train.py(7): think", 1500), {"id", "ranks", "steps"}), "rank-host-work,1,2\n");
}

// Where frames are recorded and none stands for a stall of single steps: rank 1 collects in steps 2
// and 5 of 8, in a stretch of no frame, and has a frame elsewhere. The collector's own time is no
// op and no frame.
TEST(GcPause, AStallOfNoFrameWhereStacksWereRecorded) {
  JobForTest job;
  for (int rank = 0; rank < 2; ++rank) {
    Program program;
    for (int step = 0; step < 8; ++step) {
      program.Step(step, [&](Program& of) {
        of.Frame("train.py(3): forward", [&] { of.Products(3); });
        of.Synchronise();
        if (rank == 1 && (step == 2 || step == 5)) of.Idles(2000);
        of.Waits(rank == 0 && (step == 2 || step == 5) ? 2000 : 0);
        of.Product();
      });
    }
    job.Add(rank, program.Build(-1));
  }
  const Table findings = job.Run(FindingsAnalysis());
  EXPECT_EQ(Rows(findings, {"id", "ranks", "steps"}), "gc-pause,1,2,5\n");
}

// As long in all steps and on all ranks: that is the program.
TEST(GcPause, AStretchOfEveryStepIsNone) {
  JobPlan plan;
  plan.step = [](int, int) { return RankStep{.pause = "train.py(7): think", .pause_us = 1500}; };
  EXPECT_EQ(Ids(FindingsOf(plan)), "host-work\n");
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
