// unexplained: devices run nothing, and nothing that was recorded says why.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Six steps of 3 ms: two kernels with a gap between them, and no launches. In so many of the steps
// an op of the host lies around the gap.
Table OfDeviceAlone(std::int64_t gap_us, std::int64_t steps_with_op = 0) {
  JobForTest job;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 6; ++step) {
      const std::int64_t t = 3000 * step;
      trace.Step(step, t * kUsForTest, 3000 * kUsForTest)
          .Kernel(7, "gemm", t * kUsForTest, 1000 * kUsForTest)
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
  const Table findings = OfDeviceAlone(300);
  EXPECT_EQ(Rows(findings, {"id", "severity", "ranks", "gain_method"}),
            "unexplained,low,0-1,bound\n");
  EXPECT_NEAR(Gain(findings), 10, 0.1);
}

// What the host does meanwhile is told by other findings: two of the six gaps.
TEST(Unexplained, OnlyWhileTheHostIsInNoOp) {
  const Table findings = OfDeviceAlone(300, 2);
  ASSERT_EQ(Ids(findings), "host-work\nunexplained\n");
  EXPECT_NEAR(Gain(findings, 1), 10.0 * 4 / 6, 0.1);
  EXPECT_EQ(Ids(OfDeviceAlone(300, 6)).find("unexplained"), std::string::npos);
}

TEST(Unexplained, BeginsAtOnePercent) { EXPECT_EQ(Ids(OfDeviceAlone(20)), ""); }

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
