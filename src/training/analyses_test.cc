// The analyses over two small ranks, every number by hand.
#include <gtest/gtest.h>

#include "analysis/host/analyses.h"
#include "analysis/kernels/kernels_by_name.h"
#include "analysis/steps/analyses.h"
#include "stage/job_for_test.h"
#include "training/list.h"

namespace rankscope {
namespace {

// Two steps, [0, 1000) and [1000, 2100): the last ends with the kernel that was launched inside it.
RankTrace Rank0() {
  return TraceForTest()
      .Step(5, 0, 1000)
      .Step(6, 1000, 1000)
      .Host(1, EventKind::kCpuOp, "aten::mm", 100, 50)
      .Launch(1, 110, 10)
      .Kernel(7, "gemm", 130, 400, 1)
      .Host(1, EventKind::kCpuOp, "aten::mm", 1100, 50)
      .Launch(2, 1110, 10)
      .Kernel(7, "gemm", 1130, 500, 2)
      .Launch(3, 1900, 10)
      .Kernel(20, "ncclDevKernel_AllReduce", 1950, 150, 3)
      .Build(1'000'000);
}
// The same program, 50 ns later by the clock and with one step that crosses its end.
RankTrace Rank1() {
  return TraceForTest()
      .Step(5, 0, 1000)
      .Step(6, 1000, 1000)
      .Launch(1, 900, 10)
      .Kernel(7, "gemm", 950, 200, 1)
      .Copy(7, 4096, 1500, 100)
      .Build(1'000'050);
}

JobForTest TwoRanks() {
  JobForTest job;
  job.Add(0, Rank0()).Add(1, Rank1());
  return job;
}

TEST(StepTimes, ByHand) {
  // Rank 0: the device is through with step 5 at 530 and with step 6 at 2100, 470 ns before and 100
  // ns behind the host; so the queue filled during the first. Rank 1: its kernel ends at 1150, and
  // the copy, whose launch is not known, goes with it; of step 6 the device did nothing.
  const Table table = TwoRanks().Run(StepTimesAnalysis());
  EXPECT_EQ(Rows(table, {"rank", "step", "start_ns", "duration_ns", "host_duration_ns", "lag_ns",
                         "device_work", "launched_work", "complete"}),
            "0,5,0,530,1000,-470,1,1,false\n"
            "0,6,530,1570,1100,100,2,2,true\n"
            "1,5,50,1150,1000,150,1,2,true\n"
            "1,6,,,1000,,0,0,false\n");
  // The median of 1570 and 1150 is 1360.
  EXPECT_DOUBLE_EQ(std::get<double>(Cell(table, 1, "vs_median_pct")), 100.0 * 210 / 1360);
  EXPECT_EQ(Cell(table, 0, "vs_median_pct"), Value(kNull));
}

TEST(TimeBreakdown, ByHand) {
  const Table table = TwoRanks().Run(TimeBreakdownAnalysis());
  ASSERT_EQ(table.row_count(), 4U);
  // Rank 0, step 5: [0,110) host, [110,130) launch, [130,530) compute.
  EXPECT_EQ(IntCell(table, 0, "duration_ns"), 530);
  EXPECT_EQ(IntCell(table, 0, "compute_ns"), 400);
  EXPECT_EQ(IntCell(table, 0, "idle_launch_ns"), 20);
  EXPECT_EQ(IntCell(table, 0, "idle_host_ns"), 110);
  EXPECT_EQ(IntCell(table, 0, "launched_busy_ns"), 400);
  // Rank 0, step 6: [530,1110) host, [1110,1130) launch, [1130,1630) compute, [1630,1900) host,
  // [1900,1950) launch, [1950,2100) NCCL.
  EXPECT_EQ(IntCell(table, 1, "duration_ns"), 1570);
  EXPECT_EQ(IntCell(table, 1, "compute_ns"), 500);
  EXPECT_EQ(IntCell(table, 1, "exposed_communication_ns"), 150);
  EXPECT_EQ(IntCell(table, 1, "idle_launch_ns"), 70);
  EXPECT_EQ(IntCell(table, 1, "idle_host_ns"), 580 + 270);
  EXPECT_EQ(IntCell(table, 1, "launched_busy_ns"), 650);
  // Rank 1, step 5: [0,900) host, [900,950) launch, [950,1150) compute.
  EXPECT_EQ(IntCell(table, 2, "step"), 5);
  EXPECT_EQ(IntCell(table, 2, "compute_ns"), 200);
  EXPECT_EQ(IntCell(table, 2, "idle_host_ns"), 900);
  EXPECT_EQ(IntCell(table, 2, "launched_busy_ns"), 200);
  // The rest of rank 1 is outside of what its device did of steps: [1150,1500) unknown, since the
  // copy's launch is not in the trace, the copy, [1600,2000) host.
  EXPECT_EQ(Cell(table, 3, "step"), Value(kNull));
  EXPECT_EQ(IntCell(table, 3, "duration_ns"), 850);
  EXPECT_EQ(IntCell(table, 3, "exposed_copy_ns"), 100);
  EXPECT_EQ(IntCell(table, 3, "unknown_ns"), 350);
  EXPECT_EQ(IntCell(table, 3, "idle_host_ns"), 400);
}

TEST(TimeBreakdown, OutsideIsWhatStepsLeave) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Kernel(7, "a", 0, 30)
                 .Step(1, 100, 50)
                 .Kernel(7, "b", 120, 10)
                 .Host(1, EventKind::kCpuOp, "aten::add", 190, 10)
                 .Build());
  const Table table = job.Run(TimeBreakdownAnalysis());
  ASSERT_EQ(table.row_count(), 2U);
  EXPECT_EQ(IntCell(table, 0, "step"), 1);
  EXPECT_EQ(Cell(table, 1, "step"), Value(kNull));
  EXPECT_EQ(IntCell(table, 1, "duration_ns"), 150);  // [0, 100) and [150, 200)
  EXPECT_EQ(IntCell(table, 1, "compute_ns"), 30);
}

// Marks that begin and never end: the recording is as long as its steps, and the parts still sum to
// them.
TEST(TimeBreakdown, StepsWithoutAnEnd) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, kNoDuration)
                 .Step(2, 50, kNoDuration)
                 .Kernel(7, "a", 100, 50)
                 .Host(1, EventKind::kCpuOp, "aten::add", 100, 60)
                 .Build());
  const Table table = job.Run(TimeBreakdownAnalysis());
  ASSERT_EQ(table.row_count(), 2U);
  // The kernel has no launch: nobody recorded what the device did before and behind it.
  EXPECT_EQ(IntCell(table, 0, "duration_ns"), 50);
  EXPECT_EQ(IntCell(table, 0, "not_observed_ns"), 50);
  EXPECT_EQ(IntCell(table, 1, "duration_ns"), 110);
  EXPECT_EQ(IntCell(table, 1, "compute_ns"), 50);
  EXPECT_EQ(IntCell(table, 1, "not_observed_ns"), 60);
  EXPECT_EQ(Cell(table, 1, "complete"), Value(false));
}

TEST(TimeBreakdown, StepFilterLeavesOtherWindowsOut) {
  const Table table = TwoRanks().Run(TimeBreakdownAnalysis(), {}, std::set<std::int64_t>{6});
  // Of rank 1 the device did nothing of step 6.
  ASSERT_EQ(table.row_count(), 1U);
  EXPECT_EQ(IntCell(table, 0, "step"), 6);
}

TEST(HostBreakdown, ByHand) {
  JobForTest job;
  job.Add(0, Rank0());
  const Table table = job.Run(HostBreakdownAnalysis());
  ASSERT_EQ(table.row_count(), 2U);
  // Step 6: op [1100,1150) holds the call [1110,1120); another call [1900,1910).
  EXPECT_EQ(IntCell(table, 1, "duration_ns"), 1100);
  EXPECT_EQ(IntCell(table, 1, "runtime_ns"), 20);
  EXPECT_EQ(IntCell(table, 1, "op_ns"), 40);
  EXPECT_EQ(IntCell(table, 1, "annotated_ns"), 0);
  EXPECT_EQ(IntCell(table, 1, "other_ns"), 1040);
}

TEST(Kernels, ByHand) {
  const Table table = TwoRanks().Run(KernelsByNameAnalysis());
  ASSERT_EQ(table.row_count(), 3U);
  EXPECT_EQ(Cell(table, 0, "name"), Value(std::string_view("gemm")));
  EXPECT_EQ(IntCell(table, 0, "ranks"), 2);
  EXPECT_EQ(IntCell(table, 0, "count"), 3);
  EXPECT_EQ(IntCell(table, 0, "total_ns"), 1100);
  EXPECT_EQ(IntCell(table, 0, "min_ns"), 200);
  EXPECT_EQ(IntCell(table, 0, "max_ns"), 500);
  EXPECT_EQ(Rows(table, {"name", "class", "stddev_ns", "p50_ns", "p99_ns", "outliers"}),
            "gemm,gemm,152.75252316519467,401,500,0\n"
            "ncclDevKernel_AllReduce,nccl,,150,150,0\n"
            "Memcpy HtoD,memory,,100,100,0\n");
  EXPECT_EQ(IntCell(table, 0, "slowest_rank"), 0);
  EXPECT_DOUBLE_EQ(std::get<double>(Cell(table, 0, "slowest_mean_ns")), 450.0);
  EXPECT_DOUBLE_EQ(std::get<double>(Cell(table, 0, "share_pct")), 100.0 * 1100 / 1350);
  EXPECT_EQ(Cell(table, 0, "bytes"), Value(kNull));
  EXPECT_EQ(Cell(table, 1, "work"), Value(std::string_view("communication")));
  EXPECT_EQ(Cell(table, 2, "work"), Value(std::string_view("copy")));
  EXPECT_EQ(IntCell(table, 2, "bytes"), 4096);
  EXPECT_EQ(TwoRanks().Run(KernelsByNameAnalysis(), {{"top", "1"}}).row_count(), 1U);
}

TEST(AllAnalyses, AreWholeAndNamedOnce) {
  std::set<std::string> names;
  for (const Analysis* analysis : AllAnalyses()) {
    EXPECT_TRUE(names.insert(analysis->name).second) << analysis->name;
    EXPECT_FALSE(analysis->definition.empty() || analysis->summary.empty() ||
                 analysis->example.empty())
        << analysis->name;
    for (const ColumnSpec& column : analysis->columns) {
      EXPECT_FALSE(column.doc.empty()) << analysis->name << "." << column.name;
      EXPECT_EQ(column.name.ends_with("_ns"), column.unit == "ns")
          << analysis->name << "." << column.name;
    }
  }
  EXPECT_FALSE(FindAnalysis("nothing").ok());
}

}  // namespace
}  // namespace rankscope
