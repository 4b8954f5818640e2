// launches, launch_outliers, queue_length, queue_length_series and stream_gaps, by hand.
#include <gtest/gtest.h>

#include "analysis/device/analyses.h"
#include "analysis/launches/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr EventKind kLaunchesRuntime = EventKind::kRuntime;

// In step 1 ([0, 1000000)): three kernel launches, one of them slow and one whose work is late; a
// graph of two kernels; a copy that was not recorded.
JobForTest Launches() {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1'000'000)
                 .Launch(1, 1000, 5000)
                 .Launch(2, 10'000, 60'000)
                 .Launch(3, 80'000, 5000)
                 .Host(1, kLaunchesRuntime, "cudaGraphLaunch", 90'000, 10'000, 4)
                 .Host(1, kLaunchesRuntime, "cudaMemcpyAsync", 110'000, 4000, 5)
                 .Kernel(7, "a", 8000, 30'000, 1)
                 .Kernel(7, "b", 75'000, 2000, 2)
                 .Kernel(7, "c", 300'000, 20'000, 3)
                 .Kernel(7, "g1", 330'000, 1000, 4)
                 .Kernel(8, "g2", 320'000, 1000, 4)
                 .Build());
  return job;
}

TEST(Launches, ByHand) {
  EXPECT_EQ(Rows(Launches().Run(LaunchesAnalysis()),
                 {"call", "count", "works", "without_work", "total_ns", "mean_ns", "p50_ns",
                  "max_ns", "slow_calls"}),
            "cudaGraphLaunch,1,2,0,10000,10000,10000,10000,0\n"
            "cudaLaunchKernel,3,3,0,70000,23333.333333333332,5000,60000,1\n"
            "cudaMemcpyAsync,1,0,1,4000,4000,4000,4000,0\n");
  // Delays: a 8000 - 6000, b 75000 - 70000, c 300000 - 85000; the graph's first kernel 320000 -
  // 100000. b is shorter than its call, and so are both kernels of the graph together.
  EXPECT_EQ(Rows(Launches().Run(LaunchesAnalysis()), {"call", "delay_mean_ns", "delay_p50_ns",
                                                      "delay_max_ns", "late_starts", "short_work"}),
            "cudaGraphLaunch,220000,220000,220000,1,1\n"
            "cudaLaunchKernel,74000,5000,215000,1,1\n"
            "cudaMemcpyAsync,,,,0,0\n");
}

TEST(Launches, LimitsAreOptions) {
  EXPECT_EQ(
      Rows(Launches().Run(LaunchesAnalysis(), {{"slow_call_us", "4"}, {"late_start_us", "215"}}),
           {"call", "slow_calls", "late_starts"}),
      "cudaGraphLaunch,1,1\ncudaLaunchKernel,3,0\ncudaMemcpyAsync,0,0\n");
}

TEST(LaunchOutliers, WorkBehindOtherWorkIsNotLate) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 10'000'000)
                 .Launch(1, 1000, 5000)
                 .Launch(2, 7000, 5000)
                 .Kernel(7, "long", 8000, 5'000'000, 1)
                 .Kernel(7, "behind it", 5'010'000, 1000, 2)
                 .Build());
  EXPECT_EQ(job.Run(LaunchOutliersAnalysis()).row_count(), 0U);
  EXPECT_EQ(Rows(job.Run(LaunchOutliersAnalysis(), {{"late_start_us", "1"}}),
                 {"work", "delay_ns", "free_delay_ns"}),
            "long,2000,2000\nbehind it,4998000,2000\n");
}

TEST(LaunchOutliers, ByHand) {
  EXPECT_EQ(Rows(Launches().Run(LaunchOutliersAnalysis()),
                 {"ts_ns", "call", "work", "works", "call_ns", "delay_ns", "work_ns", "why"}),
            "10000,cudaLaunchKernel,b,1,60000,5000,2000,slow call\n"
            "80000,cudaLaunchKernel,c,1,5000,215000,20000,late start\n"
            "90000,cudaGraphLaunch,g2,2,10000,220000,2000,late start\n");
}

// Stream 7: a queued [10, 30), b [20, 60), c [40, 90). Length 0 until 10, 1 until 20, 2 until 30, 1
// until 40, 2 until 60, 1 until 90, 0 until 100.
JobForTest Queue() {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 100)
                 .Launch(1, 10, 5)
                 .Launch(2, 20, 5)
                 .Launch(3, 40, 15)
                 .Kernel(7, "a", 30, 30, 1)
                 .Kernel(7, "b", 60, 30, 2)
                 .Kernel(7, "c", 90, 10, 3)
                 .Build());
  return job;
}

TEST(QueueLength, WeightedByTime) {
  // 1 * (10 + 10 + 30) + 2 * (10 + 20) = 110 of 100.
  EXPECT_EQ(Rows(Queue().Run(QueueLengthAnalysis()),
                 {"stream", "step", "duration_ns", "issued", "mean", "p50", "p90", "max",
                  "empty_ns", "full_ns", "blocked_ns"}),
            "7,1,100,3,1.1,1,2,2,20,0,0\n");
}

TEST(QueueLength, FullQueueBlocksTheCallsThatIssueToIt) {
  // At 20 one is queued: the call [20, 25) is blocked; so is [40, 55).
  EXPECT_EQ(Rows(Queue().Run(QueueLengthAnalysis(), {{"full_at", "1"}}), {"full_ns", "blocked_ns"}),
            "80,20\n");
}

TEST(QueueLength, WorkThatBeginsBeforeItsCallWasNeverQueued) {
  JobForTest job;
  job.Add(0, TraceForTest().Step(1, 0, 100).Launch(1, 50, 5).Kernel(7, "a", 40, 30, 1).Build());
  EXPECT_EQ(job.Run(QueueLengthAnalysis()).row_count(), 0U);
}

// The kernels of a graph wait, but the graph is one launch and does not fill the queue by itself.
TEST(QueueLength, AGraphIsOneLaunch) {
  TraceForTest trace;
  trace.Step(1, 0, 100).Host(1, EventKind::kRuntime, "cudaGraphLaunch", 10, 10, 1).Launch(2, 25, 5);
  for (int i = 0; i < 5; ++i) trace.Kernel(7, "a", 30 + 10 * i, 10, 1);
  trace.Kernel(7, "b", 80, 10, 2);
  JobForTest job;
  job.Add(0, trace.Build());
  // Two launches wait in [25, 30).
  EXPECT_EQ(Rows(job.Run(QueueLengthAnalysis(), {{"full_at", "2"}}),
                 {"issued", "max", "full_ns", "blocked_ns"}),
            "6,6,5,0\n");
  EXPECT_EQ(Rows(job.Run(QueueLengthAnalysis(), {{"full_at", "1"}}), {"full_ns", "blocked_ns"}),
            "70,5\n");
}

// The device is through with step 1 at 260, and did nothing of the others; on stream 8 nothing
// waits behind that.
TEST(QueueLength, WindowsInWhichNothingWaitsAreNoRows) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 100)
                 .Step(2, 100, 100)
                 .Step(3, 200, 100)
                 .Launch(1, 90, 5)
                 .Kernel(7, "a", 250, 10, 1)
                 .Launch(2, 10, 5)
                 .Kernel(8, "a", 20, 10, 2)
                 .Build());
  EXPECT_EQ(Rows(job.Run(QueueLengthAnalysis()), {"stream", "step", "mean", "empty_ns"}),
            "7,1,0.6153846153846154,100\n8,1,0.038461538461538464,250\n");
}

// Step 2 launches a short kernel that is over while step 1's long one runs: the device has no
// window for it, but it was launched, and counts.
TEST(QueueLength, WhatIsIssuedCountsWithoutAWindow) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 100)
                 .Step(2, 100, 100)
                 .Launch(1, 10, 5)
                 .Kernel(7, "long", 20, 400, 1)
                 .Launch(2, 110, 5)
                 .Kernel(8, "short", 130, 10, 2)
                 .Build());
  EXPECT_EQ(Rows(job.Run(QueueLengthAnalysis()),
                 {"stream", "step", "duration_ns", "issued", "mean", "max", "blocked_ns"}),
            "7,1,420,1,0.023809523809523808,1,0\n"
            "8,1,420,0,0.047619047619047616,1,0\n"
            "8,2,,1,,,0\n");
}

TEST(QueueLengthSeries, ARowPerChange) {
  EXPECT_EQ(Rows(Queue().Run(QueueLengthSeriesAnalysis()), {"stream", "ts_ns", "length"}),
            "7,10,1\n7,20,2\n7,30,1\n7,40,2\n7,60,1\n7,90,0\n");
}

TEST(StreamGaps, CausesAndWhoeverElseWorked) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1'000'000)
                 .Launch(1, 0, 5000)
                 .Launch(2, 6000, 4000)
                 .Launch(3, 70'000, 5000)
                 .Launch(4, 76'000, 4000)
                 .Launch(5, 150'000, 4000)
                 .Kernel(7, "a", 10'000, 20'000, 1)
                 .Kernel(7, "b", 31'000, 19'000, 2)    // 1000 behind a: queued long before
                 .Kernel(7, "c", 80'000, 20'000, 3)    // host until 70000, then launched
                 .Kernel(20, "d", 81'000, 200'000, 4)  // another stream
                 .Kernel(7, "e", 285'000, 1000, 5)     // was queued and waits for d
                 .Build());
  EXPECT_EQ(Rows(job.Run(StreamGapsAnalysis()),
                 {"stream", "step", "cause", "count", "total_ns", "min_ns", "max_ns"}),
            "7,1,host,2,70000,20000,50000\n"
            "7,1,launch,2,14000,4000,10000\n"
            "7,1,gap,1,1000,1000,1000\n"
            "7,1,stream,1,131000,131000,131000\n");
}

}  // namespace
}  // namespace rankscope
