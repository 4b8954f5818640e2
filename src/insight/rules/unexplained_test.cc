// unexplained: devices run nothing, and nothing that was recorded says why.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Of six steps of 3 ms kernels of 1,000 and 1,200 us with a gap between them; no launches.
Table OfDeviceAlone(std::int64_t gap_us) {
  JobForTest job;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 6; ++step) {
      const std::int64_t t = 3000 * step;
      trace.Step(step, t * kUsForTest, 3000 * kUsForTest)
          .Kernel(7, "gemm", t * kUsForTest, 1000 * kUsForTest)
          .Kernel(7, "gemm2", (t + 1000 + gap_us) * kUsForTest, (2000 - gap_us) * kUsForTest);
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
