// critical_path, _ops, _modules, _events and slack, by hand.
#include <gtest/gtest.h>

#include "analysis/critical_path/analyses.h"
#include "schemas/critical_path.h"
#include "schemas/words.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr EventKind kCriticalPathOp = EventKind::kCpuOp;
constexpr EventKind kCriticalPathRuntime = EventKind::kRuntime;

// A step of 1,000 ns on the host, which the device ends at 700. The data loader takes [0, 100); mm
// launches at 150, its kernel runs [160, 400), a collective behind it [405, 700), for which the
// host waits until 705.
TraceForTest OneStep() {
  TraceForTest make;
  make.Step(0, 0, 1000)
      .Host(1, kCriticalPathOp, "enumerate(DataLoader)#_Iter.__next__", 0, 100)
      .Host(1, kCriticalPathOp, "aten::mm", 140, 20)
      .Launch(1, 150, 5)
      .Host(1, kCriticalPathOp, "c10d::allreduce_", 170, 20)
      .Launch(2, 180, 5)
      .Host(1, kCriticalPathRuntime, "cudaDeviceSynchronize", 200, 505)
      .Kernel(7, "gemm", 160, 240, 1)
      .Kernel(7, "ncclDevKernel_AllReduce", 405, 295, 2);
  return make;
}

// Behind it another, which the device ends at 1,700, and 200 ns outside. In step 1 the host never
// waits; a kernel runs meanwhile. Step 0 does not count beside it: it begins with its mark, step 1
// lies 300 ns before its own.
TraceForTest TwoStepsCriticalPath() {
  TraceForTest make = OneStep();
  make.Step(1, 1000, 1000)
      .Host(1, kCriticalPathOp, "aten::mm", 1200, 20)
      .Launch(3, 1210, 5)
      .Kernel(7, "gemm", 1220, 480, 3)
      .Host(1, kCriticalPathOp, "after", 2100, 100);
  return make;
}

TEST(PathParts, AreTheColumnsOfCriticalPath) {
  const auto& path = SchemaOf<CriticalPathCauses>();
  for (std::size_t i = 0; i < kPathParts.size(); ++i) {
    EXPECT_EQ(path.columns()[path.causes()[i].index()].name, std::string(kPathParts[i].id) + "_ns");
  }
}

TEST(CriticalPathTable, SumsToTheWindow) {
  JobForTest job;
  job.Add(0, TwoStepsCriticalPath().Build());
  EXPECT_EQ(
      Rows(job.Run(CriticalPathAnalysis()),
           {"rank", "capture", "step", "duration_ns", "host_ns", "data_loading_ns", "launch_ns",
            "kernel_gap_ns", "compute_ns", "communication_ns", "copy_ns", "unexplained_ns"}),
      "0,0,0,700,50,100,10,5,240,295,0,0\n"
      "0,0,1,1000,1000,0,0,0,0,0,0,0\n"
      "0,0,,500,500,0,0,0,0,0,0,0\n");
}

// As in job_breakdown: a rank that has no complete step counts with its recording.
TEST(JobCriticalPath, OfARankWithoutCompleteStepsTheRecordingCounts) {
  JobForTest job;
  job.Add(0, TraceForTest().Step(0, 0, 1000).Step(1, 1000, 1000).Step(2, 2000, 1000).Build());
  job.Add(1, TraceForTest().Host(1, EventKind::kCpuOp, "aten::mm", 0, 500).Build());
  const Table table = job.Run(JobCriticalPathAnalysis());
  EXPECT_EQ(Rows(table, {"part", "duration_ns"}).substr(0, 10), "host,3500\n");
}

TEST(JobCriticalPath, SumsCompleteStepsOverRanks) {
  JobForTest job;
  job.Add(0, OneStep().Build());
  job.Add(1, TraceForTest().Step(0, 0, 1000).Step(1, 1000, 1000).Build());
  EXPECT_EQ(Rows(job.Run(JobCriticalPathAnalysis()), {"part", "duration_ns", "share_pct", "min_pct",
                                                      "max_pct", "min_rank", "max_rank"}),
            "host,2050,75.92592592592592,7.142857142857143,100,0,1\n"  // of 2700; 50 of 700
            "data_loading,100,3.7037037037037037,0,14.285714285714286,1,0\n"
            "launch,10,0.37037037037037035,0,1.4285714285714286,1,0\n"
            "kernel_gap,5,0.18518518518518517,0,0.7142857142857143,1,0\n"
            "compute,240,8.88888888888889,0,34.285714285714285,1,0\n"
            "communication,295,10.925925925925926,0,42.142857142857146,1,0\n"
            "copy,0,0,0,0,0,0\n"
            "unexplained,0,0,0,0,0,0\n");
}

TEST(CriticalPathTable, StepsAreThePathsOfTheWholeRecording) {
  JobForTest job;
  job.Add(0, TwoStepsCriticalPath().Build());
  EXPECT_EQ(Rows(job.Run(CriticalPathAnalysis(), {}, std::set<std::int64_t>{0}),
                 {"step", "host_ns", "compute_ns"}),
            "0,50,240\n");
}

TEST(CriticalPathOps, LaunchesAndWorkCountWithTheOp) {
  JobForTest job;
  job.Add(0, TwoStepsCriticalPath().Build());
  EXPECT_EQ(Rows(job.Run(CriticalPathOpsAnalysis(), {}, std::set<std::int64_t>{0}),
                 {"part", "op", "ranks", "time_ns", "most_rank"}),
            "communication,c10d::allreduce_,1,295,0\n"
            "compute,aten::mm,1,240,0\n"
            "data_loading,enumerate(DataLoader)#_Iter.__next__,1,100,0\n"
            "host,(no op),1,40,0\n"  // [100, 140)
            "host,aten::mm,1,10,0\n"
            "launch,aten::mm,1,10,0\n"
            "kernel_gap,c10d::allreduce_,1,5,0\n");
}

TEST(CriticalPathOps, RestIsKeptAsOthers) {
  JobForTest job;
  job.Add(0, TwoStepsCriticalPath().Build());
  EXPECT_EQ(Rows(job.Run(CriticalPathOpsAnalysis(), {{"names", "1"}}, std::set<std::int64_t>{0}),
                 {"part", "op", "time_ns"}),
            "communication,c10d::allreduce_,295\n"
            "compute,(others),240\n"
            "data_loading,(others),100\n"
            "host,(others),50\n"
            "launch,(others),10\n"
            "kernel_gap,(others),5\n");
}

// As in job_critical_path: 700 ns of rank 0's complete step 0, not what follows it; 2000 of rank 1,
// whose steps are complete; all 500 of rank 2, which has no steps.
TEST(CriticalPathOps, CountsCompleteSteps) {
  JobForTest job;
  job.Add(0, OneStep().Build());
  job.Add(1, TraceForTest().Step(0, 0, 1000).Step(1, 1000, 1000).Build());
  job.Add(2, TraceForTest().Host(1, EventKind::kCpuOp, "aten::mm", 0, 500).Build());
  const auto sum = [&](const Analysis& analysis, std::string_view column) {
    const Table table = job.Run(analysis);
    std::int64_t all = 0;
    for (std::size_t row = 0; row < table.row_count(); ++row)
      all += table.Int(row, *table.Find(column));
    return all;
  };
  EXPECT_EQ(sum(CriticalPathOpsAnalysis(), "time_ns"), 3200);
  EXPECT_EQ(sum(JobCriticalPathAnalysis(), "duration_ns"), 3200);
}

// A recording of a rank without complete steps counts only where no other of the rank has any.
TEST(CriticalPathOps, OfARankSomeOfWhoseRecordingsHaveNoStep) {
  JobForTest job;
  job.Add(0, TraceForTest().Step(0, 0, 1000).Step(1, 1000, 1000).Build());
  job.Add(0, TraceForTest().Host(1, EventKind::kCpuOp, "aten::mm", 0, 500).Build(1'000'000), 1);
  EXPECT_EQ(Rows(job.Run(CriticalPathOpsAnalysis()), {"part", "op", "time_ns"}),
            "host,(no op),2000\n");
}

TEST(CriticalPathModules, BackwardCountsWithTheForwardModule) {
  const auto make = [] {
    TraceForTest trace;
    trace.Host(1, EventKind::kPythonFunction, "nn.Module: Net_0", 0, 100)
        .Sequenced(1, "aten::linear", 10, 40, 5, 0)
        .Sequenced(2, "LinearBackward", 120, 50, 5, 1)
        .Host(1, kCriticalPathOp, "step", 180, 20);
    return trace.Build();
  };
  JobForTest job;
  job.Add(0, make());
  EXPECT_EQ(Rows(job.Run(CriticalPathModulesAnalysis()), {"part", "module", "time_ns"}),
            "host,Net_0,150\n"       // [0, 100) and [120, 170)
            "host,(no module),50\n"  // [100, 120), [170, 200)
  );
  JobForTest bare;
  bare.Add(0, TwoStepsCriticalPath().Build());
  EXPECT_EQ(bare.Run(CriticalPathModulesAnalysis()).row_count(), 0U);
}

TEST(CriticalPathEvents, FollowEachOther) {
  JobForTest job;
  job.Add(3, TwoStepsCriticalPath().Build(5000));
  EXPECT_EQ(Rows(job.Run(CriticalPathEventsAnalysis(), {}, std::set<std::int64_t>{0}),
                 {"rank", "ts_ns", "dur_ns", "part", "name", "op", "event", "stream", "thread"}),
            "3,0,100,data_loading,enumerate(DataLoader)#_Iter.__next__,"
            "enumerate(DataLoader)#_Iter.__next__,1,,1\n"
            "3,100,40,host,ProfilerStep#0,,0,,1\n"
            "3,140,10,host,aten::mm,aten::mm,2,,1\n"
            "3,150,10,launch,gemm,aten::mm,7,7,\n"
            "3,160,240,compute,gemm,aten::mm,7,7,\n"
            "3,400,5,kernel_gap,ncclDevKernel_AllReduce,c10d::allreduce_,8,7,\n"
            "3,405,295,communication,ncclDevKernel_AllReduce,c10d::allreduce_,8,7,\n");
}

TEST(SlackTable, OfSegments) {
  JobForTest job;
  job.Add(0, TwoStepsCriticalPath().Build());
  EXPECT_EQ(Rows(job.Run(SlackAnalysis()),
                 {"step", "ts_ns", "dur_ns", "slack_ns", "name", "works", "stream", "thread"}),
            "0,0,150,0,,0,,1\n"
            "0,150,30,210,,0,,1\n"  // the second launch, 180 + 10, could come until 400
            "0,160,240,0,gemm,1,7,\n"
            "0,180,20,500,,0,,1\n"  // and the wait at 200 until 700
            "0,405,295,0,ncclDevKernel_AllReduce,1,7,\n"
            "1,700,510,0,,0,,1\n"
            "1,1210,990,0,,0,,1\n"
            "1,1220,480,500,gemm,1,7,\n");  // nothing waits for it: 2200 - 1320
}

}  // namespace
}  // namespace rankscope
