// The hta.* analyses on traces small enough to check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hta/analyses.h"
#include "hta/list.h"
#include "hta/trace_for_test.h"
#include "table/write_csv.h"

namespace rankscope::hta {
namespace {

// The table's rows as CSV.
std::string Rows(const Table& table) {
  std::string csv = WriteCsv(table);
  std::erase(csv, '\r');
  return csv.substr(csv.find('\n') + 1);
}

std::string RowsOf(const Analysis& analysis, UsTrace trace, const Options& options = {}) {
  return Rows(JobForTest().Add(0, trace.Build()).Run(analysis, options));
}

TEST(TemporalBreakdown, WaitsAreBusyAndTouchingWorkIsOne) {
  const UsTrace trace = UsTrace()
                            .Kernel(7, "gemm", 10, 10)
                            .Kernel(20, "ncclDevKernel_AllReduce", 15, 15)
                            .Kernel(7, "relu", 20, 5)
                            .Wait(7, "Stream Sync", 50, 10)
                            .Wait(-1, "Context Sync", 60, 40);
  // From 10 to 60: 10 to 30 and 50 to 60 busy, 10 to 25 computing.
  EXPECT_EQ(RowsOf(TemporalBreakdown(), trace), "0,20,15,15,50,40,30,30\n");
}

TEST(TemporalBreakdown, RoundingMakesWorkShorter) {
  // 10.5 to 20.5 is 11 to 20, and 30.2 to 30.7 is 31 to 30.
  const UsTrace trace = UsTrace().Kernel(7, "a", 10.5, 10).Kernel(7, "b", 30.2, 0.5);
  EXPECT_EQ(RowsOf(TemporalBreakdown(), trace), "0,11,8,0,19,57.89,42.11,0\n");
}

TEST(TemporalBreakdown, WithoutWorkThereIsNoRow) {
  EXPECT_EQ(RowsOf(TemporalBreakdown(), UsTrace().Op("op", 0, 5)), "");
  EXPECT_EQ(RowsOf(TemporalBreakdown(), UsTrace()), "");
}

TEST(CommCompOverlap, OfTheCommunication) {
  const UsTrace trace = UsTrace()
                            .Kernel(20, "ncclDevKernel_AllReduce", 0, 20)
                            .Kernel(21, "ncclDevKernel_AllGather", 10, 20)
                            .Kernel(7, "gemm", 5, 10)
                            .Kernel(8, "relu", 10, 10)
                            .Copy("Memcpy DtoH", 0, 40, 1);
  EXPECT_EQ(RowsOf(CommCompOverlap(), trace), "0,50\n") << "5 to 20 of 0 to 30";
  EXPECT_EQ(RowsOf(CommCompOverlap(), UsTrace().Kernel(7, "gemm", 5, 10)), "0,\n");
}

UsTrace OneStep(int number, double shift) {
  return UsTrace()
      .Step(number, shift, 50)
      .Launch(1, shift + 10, 2)
      .Kernel(7, "gemm", shift + 20, 10, 1);
}

TEST(Ranks, StepsOfAllRanksDecideWhetherTheLastIsLeftOut) {
  const auto run = [](UsTrace a, UsTrace b, const Options& options = {}) {
    return Rows(JobForTest().Add(0, a.Build()).Add(1, b.Build()).Run(TemporalBreakdown(), options));
  };
  const std::string both = "0,0,10,0,10,0,100,0\n1,0,10,0,10,0,100,0\n";
  EXPECT_EQ(run(OneStep(1, 0), OneStep(1, 5)), both);
  EXPECT_EQ(run(OneStep(1, 0), OneStep(2, 5)), "") << "two steps in all, so each rank's last goes";
  EXPECT_EQ(run(OneStep(1, 0), OneStep(2, 5), {{"include_last_profiler_step", "True"}}), both);
  UsTrace two = OneStep(1, 0);
  two.Step(2, 50, 50).Launch(2, 60, 2).Kernel(7, "gemm", 70, 10, 2);
  EXPECT_EQ(run(two, OneStep(1, 5)), "0,0,10,0,10,0,100,0\n");
  EXPECT_EQ(run(two, UsTrace().Launch(1, 10, 2).Kernel(7, "gemm", 20, 10, 1)),
            "0,0,10,0,10,0,100,0\n")
      << "a rank without a step keeps nothing";
}

TEST(Ranks, TimeZeroIsTheFirstEventOfAllRanks) {
  JobForTest job;
  job.Add(3, OneStep(1, 1000).Build()).Add(1, OneStep(1, 900).Build());
  EXPECT_EQ(Rows(job.Run(QueueLengthTimeSeries())),
            "1,1,10,0,7,7,1\n1,2,20,0,7,7,0\n3,1,110,0,7,7,1\n3,2,120,0,7,7,0\n");
  EXPECT_EQ(Rows(job.Run(QueueLengthTimeSeries(), {{"ranks", "3"}})),
            "3,1,110,0,7,7,1\n3,2,120,0,7,7,0\n")
      << "the time of those left out still counts";
}

TEST(Ranks, TheLastRecordingOfARankCounts) {
  JobForTest job;
  job.Add(0, OneStep(1, 0).Build(), 1).Add(0, OneStep(1, 0).Kernel(7, "x", 40, 10).Build(), 0);
  EXPECT_EQ(Rows(job.Run(TemporalBreakdown())), "0,0,10,0,10,0,100,0\n");
}

TEST(GpuKernelTypeBreakdown, CutsWhereTheSetChanges) {
  const auto trace = [] {
    return UsTrace()
        .Kernel(7, "gemm", 0, 20)
        .Kernel(20, "ncclDevKernel_AllReduce", 10, 20)
        .Copy("Memcpy DtoH", 15, 10, 1)
        .Kernel(7, "SyncBatchNorm", 100, 50)
        .Build();
  };
  JobForTest job;
  job.Add(0, trace()).Add(1, trace());
  EXPECT_EQ(Rows(job.Run(GpuKernelTypeBreakdown())),
            "COMPUTATION,20,33.3\n"
            "COMMUNICATION,10,16.7\n"
            "COMMUNICATION overlapping MEMORY,10,16.7\n"
            "COMPUTATION overlapping COMMUNICATION,10,16.7\n"
            "COMPUTATION overlapping COMMUNICATION overlapping MEMORY,10,16.7\n");
  EXPECT_EQ(Rows(job.Run(GpuKernelTypeBreakdown(), {{"include_memory_kernels", "False"}})),
            "COMMUNICATION,20,33.3\nCOMPUTATION,20,33.3\n"
            "COMPUTATION overlapping COMMUNICATION,20,33.3\n");
}

TEST(GpuKernelBreakdown, ByTypeNameAndRank) {
  const UsTrace trace = UsTrace()
                            .Kernel(7, "gemm", 0, 20)
                            .Kernel(7, "gemm", 30, 10)
                            .Kernel(7, "relu", 50, 4)
                            .Kernel(7, "add", 60, 2)
                            .Copy("Memset (Device)", 70, 3, 1)
                            .Kernel(7, "SyncBatchNorm", 100, 50);
  EXPECT_EQ(RowsOf(GpuKernelBreakdown(), trace, {{"include_memory_kernels", "false"}}),
            "add,2,2,2,0,2,COMPUTATION,0\n"
            "gemm,30,20,10,7.0710678118654755,15,COMPUTATION,0\n"
            "relu,4,4,4,0,4,COMPUTATION,0\n");
  EXPECT_EQ(RowsOf(GpuKernelBreakdown(), trace, {{"num_kernels", "2"}, {"duration_ratio", "0.5"}}),
            "gemm,30,30,30,0,30,COMPUTATION,0\n"
            "others,2,2,2,0,2,COMPUTATION,0\n"
            "relu,4,4,4,0,4,COMPUTATION,0\n"
            "Memset (Device),3,3,3,0,3,MEMORY,0\n");
}

// Two calls of aten::mm launch "a" and "b", one only "a"; aten::add is inside of aten::sum, which
// begins with it and comes first in the file.
TEST(AtenOpKernels, CallsThatLaunchTheSameAreOne) {
  const UsTrace trace = UsTrace()
                            .Op("aten::mm", 0, 50)
                            .Launch(1, 10, 5)
                            .Launch(2, 20, 5)
                            .Op("aten::mm", 100, 50)
                            .Launch(3, 106, 5)
                            .Launch(4, 120, 5)
                            .Op("aten::mm", 200, 50)
                            .Launch(5, 203, 5)
                            .Op("aten::sum", 300, 50)
                            .Op("aten::add", 300, 40)
                            .Launch(6, 310, 5)
                            .Launch(7, 400, 5)
                            .Op("aten::no_kernel", 500, 50)
                            .Launch(8, 510, 5)
                            .Kernel(7, "a", 30, 5, 1)
                            .Kernel(7, "b", 40, 5, 2)
                            .Kernel(7, "a", 131, 5, 3)
                            .Kernel(7, "b", 140, 5, 4)
                            .Kernel(7, "a", 230, 5, 5)
                            .Kernel(7, "c", 330, 5, 6)
                            .Kernel(7, "d", 430, 5, 7);
  // Delays of the first launches: 10 and 6 to the call, 20 and 25 to the kernel.
  EXPECT_EQ(RowsOf(AtenOpKernelsAndDelay(), trace),
            "0,aten::mm,a -> b,2,8,22.5\n0,aten::mm,a,1,3,27\n0,aten::sum,c,1,10,20\n");
  EXPECT_EQ(RowsOf(AtenOpKernelsAndDelay(), UsTrace().Op("aten::mm", 0, 50)), "");
}

TEST(KernelsWithAnnotations, TheShortestThatOverlaps) {
  const auto on_stream = [](UsTrace& trace) -> UsTrace& { return trace.WithIds(7, 0, 7); };
  UsTrace trace = UsTrace();
  trace.Kernel(7, "void gemm<float>(int)", 100, 10, 1)
      .Kernel(7, "b", 120, 10, 2)
      .Kernel(7, "c", 140, 10, 3)
      .Kernel(7, "d", 190, 10, 4)
      .Kernel(9, "other stream", 120, 10, 5);
  on_stream(trace.DeviceMark("step", 100, 60));
  on_stream(trace.DeviceMark("forward", 105, 20));
  on_stream(trace.DeviceMark("touches", 150, 5));
  EXPECT_EQ(RowsOf(GpuKernelsWithUserAnnotations(), trace),
            "0,0,gemm,0,10,7,1,forward\n0,1,b,20,10,7,2,forward\n"
            "0,4,other stream,20,10,9,5,\"\"\n0,2,c,40,10,7,3,step\n0,3,d,90,10,7,4,\"\"\n");
  EXPECT_EQ(
      RowsOf(GpuKernelsWithUserAnnotations(), trace, {{"shorten_names", "false"}}).substr(0, 28),
      "0,0,void gemm<float>(int),0,");
  EXPECT_EQ(RowsOf(GpuKernelsWithUserAnnotations(), UsTrace().Kernel(7, "a", 0, 5)), "");
}

TEST(GpuUserAnnotationBreakdown, OfTheDeviceOrTheHost) {
  const UsTrace trace = UsTrace()
                            .Mark("forward", 0, 10)
                            .Mark("forward", 20, 20)
                            .Mark("loss", 2, 3)
                            .DeviceMark("forward", 5, 50);
  EXPECT_EQ(RowsOf(GpuUserAnnotationBreakdown(), trace), "forward,50,50,50,0,50,0\n");
  EXPECT_EQ(RowsOf(GpuUserAnnotationBreakdown(), trace, {{"use_gpu_annotation", "False"}}),
            "forward,30,20,10,7.0710678118654755,15,0\nloss,3,3,3,0,3,0\n");
  EXPECT_EQ(
      RowsOf(GpuUserAnnotationBreakdown(), trace,
             {{"use_gpu_annotation", "False"}, {"num_kernels", "0"}, {"allowlist_patterns", "os"}}),
      "loss,3,3,3,0,3,0\nothers,30,30,30,0,30,0\n");
}

// Stream 7: a gap of 5 launched in time, one of 50 launched in time, one launched late, and an
// overlap of 4. Stream 0 (AMD): one kernel.
UsTrace Gaps() {
  return UsTrace()
      .Op("event 0", 0, 1)
      .Launch(1, 5, 1)
      .Kernel(7, "a", 10, 10, 1)
      .Launch(2, 6, 1)
      .Kernel(7, "b", 25, 10, 2)
      .Launch(3, 7, 1)
      .Kernel(7, "c", 85, 10, 3)
      .Launch(4, 100, 1)
      .Kernel(7, "d", 110, 10, 4)
      .Kernel(7, "e", 116, 10, 99)  // its launch is not in the file
      .Wait(7, "Stream Sync", 200, 10)
      .Kernel(0, "f", 90, 5);
}

TEST(IdleTimeBreakdown, ByCause) {
  EXPECT_EQ(RowsOf(IdleTimeBreakdown(), Gaps()),
            "0,7,host_wait,15,0.23\n0,7,kernel_wait,1,0.02\n0,7,other,50,0.76\n0,0,other,0,\n");
  EXPECT_EQ(
      RowsOf(IdleTimeBreakdown(), Gaps(), {{"consecutive_kernel_delay", "5"}, {"streams", "7"}}),
      "0,7,host_wait,15,0.23\n0,7,kernel_wait,-4,-0.06\n0,7,other,55,0.83\n")
      << "a gap of the delay itself is no kernel_wait";
}

TEST(IdleTimeBreakdown, WorkWithoutALaunchCountsAsLaunchedWithEventZero) {
  const auto trace = [](double event_zero) {
    return UsTrace()
        .Op("event 0", event_zero, 1)
        .Kernel(7, "a", 10, 10, 98)
        .Kernel(7, "b", 25, 10, 99);
  };
  EXPECT_EQ(RowsOf(IdleTimeBreakdown(), trace(0)), "0,7,kernel_wait,5,1\n0,7,other,0,0\n");
  EXPECT_EQ(RowsOf(IdleTimeBreakdown(), trace(21)), "0,7,host_wait,5,1\n0,7,other,0,0\n");
}

TEST(IdleTimeIntervalStats, AreOfTheGaps) {
  EXPECT_EQ(RowsOf(IdleTimeIntervalStats(), Gaps()),
            "0,7,host_wait,1,15,,15,15,15,15,15\n"
            "0,7,kernel_wait,2,0.5,6.36,-4,-1.75,0.5,2.75,5\n"
            "0,7,other,1,50,,50,50,50,50,50\n"
            "0,0,other,0,,,,,,,\n");
}

TEST(CudaKernelLaunchStats, EveryKernelOfEveryLaunch) {
  const UsTrace trace = UsTrace()
                            .Launch(1, 0, 5)
                            .Kernel(7, "a", 20, 3, 1)
                            .Kernel(7, "b", 3, 4, 1)
                            .Call("cudaMemcpyAsync", 2, 10, 6)
                            .Kernel(7, "copy", 30, 1, 2)
                            .Call("cuLaunchKernel", 3, 20, 1)
                            .Kernel(7, "triton", 40, 1, 3)
                            .Launch(-1, 50, 1)
                            .Kernel(7, "no correlation", 60, 1);
  EXPECT_EQ(RowsOf(CudaKernelLaunchStats(), trace), "0,1,5,3,15\n0,1,5,4,0\n0,2,6,1,14\n");
  EXPECT_EQ(RowsOf(CudaKernelLaunchStats(), trace, {{"include_memory_events", "false"}}),
            "0,1,5,3,15\n0,1,5,4,0\n");
}

TEST(Correlation, OneForEverythingDoesNotMultiply) {
  UsTrace trace = UsTrace().Step(1, 0, 10).Step(2, 500, 10);
  for (int i = 0; i < 100; ++i) trace.Launch(0, i, 1).Kernel(7, "k", 200 + i, 1, 0);
  JobForTest job;
  job.Add(0, trace.Build());
  for (const Analysis* analysis : HtaAnalyses())
    EXPECT_LE(job.Run(*analysis).row_count(), 2 * 4 * 4 * 100U) << analysis->name;
  EXPECT_EQ(job.Run(CudaKernelLaunchStats()).row_count(), 4 * 4 * 100U);
}

// Three launches at 0, 1 and 2, whose work begins at 2, 10 and 20 on stream 7, and one on stream 9.
UsTrace Queue() {
  return UsTrace()
      .Op("event 0", 0, 100)
      .Launch(1, 0, 1)
      .Launch(2, 1, 1)
      .Launch(3, 2, 1)
      .Kernel(7, "a", 2, 5, 1)
      .Kernel(7, "b", 10, 5, 2)
      .Kernel(7, "c", 20, 5, 3)
      .Call("hipLaunchKernel", 4, 30, 1)
      .Kernel(9, "d", 40, 5, 4)
      .WithIds(9, 17, 3536)
      .Launch(5, 50, 1)  // without work
      .Call("cudaGraphLaunch", 6, 60, 1)
      .Kernel(7, "e", 70, 1, 6);
}

TEST(QueueLength, GrowsWithLaunchesAndShrinksWithWork) {
  EXPECT_EQ(RowsOf(QueueLengthTimeSeries(), Queue()),
            "0,1,0,0,7,7,1\n0,2,1,0,7,7,2\n0,3,2,0,7,7,3\n0,4,2,0,7,7,2\n0,5,10,0,7,7,1\n"
            "0,6,20,0,7,7,0\n0,7,30,17,3536,9,1\n0,8,40,17,3536,9,0\n");
  EXPECT_EQ(RowsOf(QueueLengthSummary(), Queue()),
            "0,7,6,1.5,1.0488088481701516,0,1,1.5,2,3\n"
            "0,9,2,0.5,0.7071067811865476,0,0.25,0.5,0.75,1\n");
}

// Ten launches and the begins of their work, all in one microsecond: numpy's sort leaves the first
// launch and the last two works in place and turns the rest round (numpy_sort_test.cc), so that the
// queue falls below 0. In the order of the file it would grow to 10.
TEST(QueueLength, OfChangesAtOneTimeInHtasOrder) {
  UsTrace trace = UsTrace().Op("event 0", 0, 100);
  for (int i = 1; i <= 10; ++i) trace.Launch(i, 10, 1).Kernel(7, "k", 10, 1, i);
  EXPECT_EQ(RowsOf(QueueLengthSummary(), trace), "0,7,20,-2.2,2.726092248506719,-7,-4.25,-2,0,2\n");
}

// The sum behind the last end should be 0. It is 6e-17 when ends come in the order of the file, and
// -1e-16, which is no value above 0, in HTA's.
TEST(MemoryBw, OfCopiesThatEndAtOneTimeInHtasOrder) {
  UsTrace trace;
  for (int i = 0; i < 9; ++i) trace.Copy("Memset (Device)", 10, 10, 0.1 * (i % 3 + 1));
  const std::string row = RowsOf(MemoryBwSummary(), trace);
  EXPECT_EQ(row.substr(0, 12), "0,Memset,17,");
}

TEST(TimeBlockedOnFullQueue, OfTheLastStreamThatWasFull) {
  // The events begin from 0 to 70.
  EXPECT_EQ(RowsOf(TimeBlockedOnFullQueue(), Queue(), {{"max_queue_length", "1"}}),
            "0,9,10,0.14285714285714285\n")
      << "stream 7 was full for 20, but HTA keeps one stream of a rank";
  EXPECT_EQ(RowsOf(TimeBlockedOnFullQueue(), Queue(), {{"max_queue_length", "2"}}),
            "0,7,9,0.12857142857142856\n");
  EXPECT_EQ(RowsOf(TimeBlockedOnFullQueue(), Queue()), "");
}

TEST(MemoryBw, SumsWhatRunsByType) {
  const UsTrace trace = UsTrace()
                            .Copy("Memcpy DtoH (Device -> Pinned)", 10, 10, 2)
                            .Copy("Memcpy DtoH (Device -> Pageable)", 15, 10, 3, 8)
                            .Copy("Memset (Device)", 30, 0, 5)
                            .Copy("Memset (Device)", 40, 2, -1)  // not stated
                            .Kernel(7, "my_Memcpy", 50, 5);
  EXPECT_EQ(RowsOf(MemoryBwTimeSeries(), trace),
            "0,0,0,Memcpy DtoH,2\n0,5,0,Memcpy DtoH,5\n0,10,0,Memcpy DtoH,3\n0,15,0,Memcpy DtoH,0\n"
            "0,20,0,Memset,5\n0,21,0,Memset,0\n0,30,0,Memset,0\n0,32,0,Memset,0\n");
  EXPECT_EQ(RowsOf(MemoryBwSummary(), trace),
            "0,Memcpy DtoH,3,3.3333333333333335,1.5275252316519468,2,2.5,3,4,5\n"
            "0,Memset,1,5,,5,5,5,5,5\n");
}

TEST(HtaAnalyses, AreACompatGroupOfTheirOwnAndBearAnEmptyTrace) {
  for (const Analysis* analysis : HtaAnalyses()) {
    EXPECT_EQ(analysis->group, Group::kCompat) << analysis->name;
    EXPECT_TRUE(analysis->name.starts_with("hta.")) << analysis->name;
    const Table table = JobForTest().Add(0, UsTrace().Build()).Run(*analysis);
    EXPECT_EQ(table.name(), analysis->name);
    EXPECT_EQ(table.columns(), analysis->columns) << analysis->name;
    EXPECT_FALSE(CompleteOptions(*analysis, {{"include_last_profiler_step", "maybe"}}).ok());
  }
}

}  // namespace
}  // namespace rankscope::hta
