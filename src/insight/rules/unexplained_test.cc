// unexplained: devices run nothing, and nothing that was recorded says why.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"
#include "schemas/findings.h"

namespace rankscope {
namespace {

// Six steps of 3 ms: two kernels with a gap between them, of which the first is launched if
// anything is. In so many of the steps the thread that launches is in an op during the gap.
Table OfGaps(std::int64_t gap_us, bool is_launched = false, std::int64_t steps_with_op = 0) {
  JobForTest job;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 6; ++step) {
      const std::int64_t t = 3000 * (step + 1);
      trace.Step(step, t * kUsForTest, 3000 * kUsForTest);
      if (is_launched) trace.Launch(step + 1, (t - 20) * kUsForTest, 5 * kUsForTest);
      trace.Kernel(7, "gemm", t * kUsForTest, 1000 * kUsForTest, is_launched ? step + 1 : -1)
          .Kernel(7, "other", (t + 1000 + gap_us) * kUsForTest, (2000 - gap_us) * kUsForTest);
      if (step < steps_with_op)
        trace.Host(1, EventKind::kCpuOp, "aten::to", (t + 900) * kUsForTest,
                   (gap_us + 200) * kUsForTest);
    }
    job.Add(rank, trace.Build());
  }
  return job.Run(FindingsAnalysis());
}

// 300 of 3,000 us; nothing is claimed, for the recording does not show that it can be had.
TEST(Unexplained, GapsOfDevicesWithoutLaunches) {
  const Table findings = OfGaps(300);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "gain_method"}),
            "unexplained,low,0-1,bound\n");
  EXPECT_NEAR(Gain(findings), 10, 0.1);
}

// What the host does meanwhile is told by other findings: four of six gaps are left.
TEST(Unexplained, OnlyWhileTheHostIsInNoOp) {
  const auto gain = [](std::int64_t steps_with_op) {
    const Table findings = OfGaps(300, true, steps_with_op);
    const ViewOf<Findings> rows(findings);
    for (std::size_t row = 0; row < rows.row_count(); ++row) {
      if (rows.String(row, SchemaOf<Findings>().id) == "unexplained") return Gain(findings, row);
    }
    return 0.0;
  };
  EXPECT_NEAR(gain(0), 10, 0.1);
  EXPECT_NEAR(gain(2), 10.0 * 4 / 6, 0.1);
  EXPECT_EQ(gain(6), 0);
}

TEST(Unexplained, BeginsAtOnePercent) { EXPECT_EQ(Ids(OfGaps(20)), ""); }

// Launched late by a host of which nothing is known but the call: that is its work.
TEST(Unexplained, WhatWasLaunchedIsTheHosts) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 of.Products(3);
                 of.Idles(1500);
                 of.Products(3);
               }).Has("unexplained"));
}

}  // namespace
}  // namespace rankscope
