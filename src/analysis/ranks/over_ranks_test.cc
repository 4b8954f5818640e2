// What is derived from the tables of other analyses, by hand.
#include "analysis/ranks/analyses.h"

#include <gtest/gtest.h>

#include "analysis/kernels/analyses.h"
#include "analysis/steps/analyses.h"
#include "schemas/words.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

// Two steps of `length` each with one gemm of `work` in each, and a copy in the first.
RankTrace RankWith(std::int64_t length, std::int64_t work) {
  return TraceForTest()
      .Step(1, 0, length)
      .Step(2, length, length)
      .Kernel(7, "sgemm", 10, work)
      .Kernel(7, "sgemm", length + 10, work)
      .Copy(7, 500, 10 + work, 20)
      .Build();
}

JobForTest ThreeRanks() {
  JobForTest job;
  job.Add(0, RankWith(1000, 400)).Add(1, RankWith(1000, 500)).Add(2, RankWith(1200, 600));
  return job;
}

TEST(StepSpread, ByHand) {
  EXPECT_EQ(Rows(ThreeRanks().Run(StepSpreadAnalysis()),
                 {"step", "ranks", "steps", "min_ns", "p25_ns", "median_ns", "p75_ns", "max_ns",
                  "fastest_rank", "slowest_rank"}),
            "1,3,3,1000,1000,1000,1100,1200,0,2\n"
            "2,3,3,1000,1000,1000,1100,1200,0,2\n"
            ",3,6,1000,1000,1000,1150,1200,0,2\n");
}

// Of a file that lost its devices' rows the steps are the host's.
TEST(StepSpread, IsOfRanksWithDevicesWhereThereAreSome) {
  const auto hosts = [] { return TraceForTest().Step(1, 0, 300).Step(2, 300, 300).Build(); };
  JobForTest job = ThreeRanks();
  job.Add(3, hosts());
  EXPECT_EQ(Rows(job.Run(StepSpreadAnalysis()), {"step", "ranks", "min_ns"}),
            "1,3,1000\n2,3,1000\n,3,1000\n");
  JobForTest of_hosts;
  of_hosts.Add(0, hosts());
  EXPECT_EQ(Rows(of_hosts.Run(StepSpreadAnalysis()), {"step", "ranks", "min_ns"}),
            "1,1,300\n2,1,300\n,1,300\n");
}

TEST(RankBreakdown, SumsCompleteStepsOnly) {
  const Table table = ThreeRanks().Run(RankBreakdownAnalysis());
  ASSERT_EQ(table.row_count(), 30U);
  std::int64_t sum = 0;
  for (std::size_t row = 20; row < 30; ++row) sum += IntCell(table, row, "duration_ns");
  // Nothing has a launch: of [0, 2400) the 10 ns before the first work and the 590 behind the last
  // were not observed.
  EXPECT_EQ(sum, 1800);
  EXPECT_EQ(IntCell(table, 20, "duration_ns"), 1200);  // compute of rank 2
  EXPECT_DOUBLE_EQ(std::get<double>(Cell(table, 20, "share_pct")), 100.0 * 1200 / 1800);
  EXPECT_EQ(IntCell(table, 20, "windows"), 2);
}

TEST(JobBreakdown, ByHand) {
  const Table table = ThreeRanks().Run(JobBreakdownAnalysis());
  ASSERT_EQ(table.row_count(), 10U);
  EXPECT_EQ(Rows(table, {"part", "duration_ns", "min_pct", "median_pct", "max_pct", "min_rank",
                         "max_rank"})
                .substr(0, Rows(table, {"part"}).find('\n') + 74),
            "compute,3000,57.142857142857146,66.66666666666667,66.66666666666667,0,1\nexposed_c");
  std::int64_t sum = 0;
  double share = 0;
  for (std::size_t row = 0; row < 10; ++row) {
    sum += IntCell(table, row, "duration_ns");
    share += std::get<double>(Cell(table, row, "share_pct"));
  }
  EXPECT_EQ(sum, 1400 + 1500 + 1800);
  EXPECT_DOUBLE_EQ(share, 100);
}

TEST(RankWithoutSteps, CountsAsAWhole) {
  JobForTest job;
  job.Add(0, TraceForTest().Kernel(7, "sgemm", 0, 300).Kernel(7, "sgemm", 900, 100).Build());
  const Table table = job.Run(RankBreakdownAnalysis());
  EXPECT_EQ(IntCell(table, 0, "duration_ns"), 400);
  EXPECT_EQ(Cell(table, 0, "share_pct"), Value(40.0));
  EXPECT_EQ(job.Run(StepSpreadAnalysis()).row_count(), 0U);
}

std::string LineOf(const Table& table, std::string_view analysis, std::string_view key,
                   std::string_view metric) {
  const std::string all = Rows(table, {"analysis", "key", "metric", "unit", "ranks", "total",
                                       "mean", "min", "median", "max", "min_rank", "max_rank"});
  const std::string begin = fmt::format("{},{},{},", analysis, key, metric);
  const std::size_t at = all.find(begin);
  if (at == std::string::npos) return "none";
  return all.substr(at + begin.size(), all.find('\n', at) - at - begin.size());
}

TEST(OverRanks, ByHand) {
  const Table table = ThreeRanks().Run(OverRanksAnalysis());
  // gemm: 400, 500, 600 ns per step; in all 2 * 1500.
  EXPECT_EQ(LineOf(table, "kernel_classes", "gemm", "busy"), "ns/step,3,3000,500,400,500,600,0,2");
  // One copy of 500 bytes in two steps, 20 ns.
  EXPECT_EQ(LineOf(table, "copies", "HtoD", "bytes"), "bytes/step,3,1500,250,250,250,250,0,0");
  EXPECT_EQ(LineOf(table, "copies", "HtoD", "bandwidth"),
            "bytes/s,3,,25000000000,25000000000,25000000000,25000000000,0,0");
  // Ratio of sums: 2 * 400 / 2000.
  EXPECT_EQ(LineOf(table, "time_breakdown", "", "compute").substr(0, 5), "%,3,,");
  EXPECT_EQ(LineOf(table, "launches", "cudaLaunchKernel", "time"), "none");
}

// Two steps; a matmul of 2e9 FLOP in the first, 1e9 FLOP/ms. The H100's peak is 989e12 FLOP/s.
TEST(OverRanks, FlopUtilisationAndMemory) {
  constexpr std::int64_t kStep = 1'000'000;
  JobForTest job;
  for (const std::int64_t rank : {0, 1}) {
    TraceForTest trace;
    trace.DeviceName(0, "NVIDIA H100").Step(1, 0, kStep).Step(2, kStep, kStep);
    trace.Op(1, "aten::mm", 0, 50, "[[1000,1000],[1000,1000]]", R"(["float","float"])");
    trace.Launch(1, 10, 5).Kernel(7, "sgemm", 20, 100, 1);
    trace.Kernel(7, "other", kStep + 20, 300);
    trace.Memory(1, 30, {.address = 1, .bytes = 8, .total_allocated = 500 + rank * 100});
    job.Add(rank, trace.Build());
  }
  const Table table = job.Run(OverRanksAnalysis());
  // The second step has no known FLOPs, so the first alone counts.
  EXPECT_EQ(LineOf(table, "flop_utilisation", "", "hfu").substr(0, 10), "%,2,,0.202");
  EXPECT_EQ(LineOf(table, "flop_utilisation", "", "known"), "%,2,,25,25,25,25,0,0");
  EXPECT_EQ(LineOf(table, "memory_peaks", "cuda", "peak"), "bytes,2,,550,500,550,600,0,1");
}

// What a source names as a metric does not compile without a label; this is of what the tables
// hold.
TEST(OverRanks, EveryMetricHasALabel) {
  for (const Analysis* analysis : {&OverRanksAnalysis(), &RankMetricsAnalysis()}) {
    const Table table = ThreeRanks().Run(*analysis);
    ASSERT_GT(table.row_count(), 0U);
    for (std::size_t row = 0; row < table.row_count(); ++row) {
      const auto metric = std::get<std::string_view>(Cell(table, row, "metric"));
      EXPECT_NE(FindWords(kMetrics, metric), nullptr) << metric;
    }
  }
}

TEST(OverRanks, KeepsTheLargestKeys) {
  const Table table = ThreeRanks().Run(OverRanksAnalysis(), {{"keys", "1"}});
  EXPECT_NE(LineOf(table, "kernel_classes", "gemm", "busy"), "none");
  EXPECT_EQ(LineOf(table, "kernel_classes", "memory", "busy"), "none");
}

TEST(RankMetrics, MarksTheRankThatStandsApart) {
  JobForTest job;
  for (int rank = 0; rank < 7; ++rank) job.Add(rank, RankWith(1000, 400 + rank % 3));
  job.Add(7, RankWith(1000, 900));
  const Table table = job.Run(RankMetricsAnalysis());
  std::set<std::pair<std::int64_t, std::string>> outliers;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (std::get<bool>(Cell(table, row, "outlier"))) {
      outliers.emplace(IntCell(table, row, "rank"),
                       std::string(std::get<std::string_view>(Cell(table, row, "metric"))));
    }
  }
  EXPECT_EQ(outliers, (std::set<std::pair<std::int64_t, std::string>>{
                          {7, "compute"}, {7, "device_busy"}, {7, "idle"}}));
  // A rank that differs by a hair is none, however small the others' spread.
  EXPECT_EQ(Rows(table, {"rank", "metric", "value", "median"}).substr(0, 19),
            "0,step_time,1000,10");
}

// Two stages of four ranks: the second one computes twice as long, of which rank 6 stands apart
// from its own stage; that the stages differ makes nobody an outlier.
TEST(RankMetrics, RanksAreComparedWithTheirPeers) {
  JobForTest job;
  for (int rank = 0; rank < 8; ++rank) {
    const int compute = (rank < 4 ? 200 : 400) + rank % 2 + (rank == 6 ? 300 : 0);
    TraceForTest trace;
    trace.Step(1, 0, 1000).Kernel(7, "gemm", 10, compute);
    const int pipeline = rank % 4;
    const std::string group = "pp" + std::to_string(pipeline);
    const std::string ranks =
        "[" + std::to_string(pipeline) + ", " + std::to_string(pipeline + 4) + "]";
    const TraceForTest::Collective message{.name = rank < 4 ? "send" : "recv",
                                           .in = 4,
                                           .group = group,
                                           .ranks = ranks,
                                           .peer = rank < 4 ? rank + 4 : rank - 4,
                                           .description = "PIPELINE_MODEL_PARALLEL_GROUP"};
    trace.Comm(20, 900, 10, message);
    job.Add(rank, trace.Build());
  }
  const Table table = job.Run(RankMetricsAnalysis());
  std::set<std::int64_t> outliers;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (std::get<bool>(Cell(table, row, "outlier"))) outliers.insert(IntCell(table, row, "rank"));
  }
  EXPECT_EQ(outliers, (std::set<std::int64_t>{6}));
}

TEST(KernelSteps, ChangeAgainstTheMedianOfSteps) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1000)
                 .Step(2, 1000, 1000)
                 .Step(3, 2000, 1000)
                 .Kernel(7, "a", 10, 100)
                 .Kernel(7, "a", 1010, 100)
                 .Kernel(7, "a", 2010, 150)
                 .Kernel(7, "b", 500, 50)
                 .Build());
  EXPECT_EQ(Rows(job.Run(KernelStepsAnalysis()),
                 {"step", "name", "ranks", "count", "total_ns", "mean_per_rank_ns", "change_pct"}),
            "1,a,1,1,100,100,0\n2,a,1,1,100,100,0\n3,a,1,1,150,150,50\n1,b,1,1,50,50,0\n");
  EXPECT_EQ(job.Run(KernelStepsAnalysis(), {{"top", "1"}}).row_count(), 3U);
}

TEST(KernelsByRank, ByHand) {
  JobForTest job;
  job.Add(3, TraceForTest()
                 .Step(1, 0, 1000)
                 .Kernel(7, "a", 10, 100)
                 .Kernel(7, "a", 200, 300)
                 .Kernel(7, "b", 600, 400)
                 .Build());
  EXPECT_EQ(Rows(job.Run(KernelsByRankAnalysis()),
                 {"rank", "step", "name", "count", "total_ns", "share_pct", "mean_ns", "min_ns",
                  "p50_ns", "max_ns"}),
            "3,1,a,2,400,50,200,100,200,300\n3,1,b,1,400,50,400,400,400,400\n");
}

double ValueOf(const Table& table, std::int64_t rank, std::string_view metric) {
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (IntCell(table, row, "rank") == rank && Cell(table, row, "metric") == Value(metric))
      return std::get<double>(Cell(table, row, "value"));
  }
  return -1;
}

TEST(RankMetrics, TheBusiestThreadCountsAndWaitingIsNoWork) {
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Step(1, 0, 1000)
                 .Host(1, EventKind::kCpuOp, "aten::mm", 0, 500)
                 .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", 600, 300)
                 .Host(2, EventKind::kCpuOp, "aten::add", 0, 700)
                 .Build());
  EXPECT_EQ(ValueOf(job.Run(RankMetricsAnalysis()), 0, "host_busy"), 70);
}
TEST(RankMetrics, ARankWithoutCopiesHasNone) {
  JobForTest job;
  job.Add(0, RankWith(1000, 400));
  job.Add(1, TraceForTest().Step(1, 0, 1000).Kernel(7, "sgemm", 10, 400).Build());
  const Table table = job.Run(RankMetricsAnalysis());
  EXPECT_EQ(ValueOf(table, 0, "copy_bytes"), 250);
  EXPECT_EQ(ValueOf(table, 1, "copy_bytes"), 0);
}
TEST(RankMetrics, CallsWithoutWorkHaveNoDelay) {
  JobForTest job;
  // Two kinds of calls: a delay of 100 once, one of 10 once, and 8 calls whose work was lost.
  TraceForTest trace;
  trace.Step(1, 0, 1000).Launch(1, 0, 10).Kernel(7, "a", 110, 5, 1);
  trace.Host(1, EventKind::kRuntime, "cuLaunchKernel", 200, 10, 2).Kernel(7, "b", 220, 5, 2);
  for (int i = 3; i < 11; ++i) trace.Launch(i, 100 * i - 50, 10);
  job.Add(0, trace.Build());
  EXPECT_EQ(ValueOf(job.Run(RankMetricsAnalysis()), 0, "launch_delay"), 55);
}

TEST(OverRanks, ARankWithoutStepsIsNotComparedPerStep) {
  JobForTest job;
  job.Add(0, RankWith(1000, 400)).Add(1, TraceForTest().Kernel(7, "sgemm", 0, 9000).Build());
  const Table table = job.Run(OverRanksAnalysis());
  int rows = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    if (Cell(table, row, "analysis") != Value(std::string_view("kernel_classes"))) continue;
    if (Cell(table, row, "key") != Value(std::string_view("gemm"))) continue;
    EXPECT_EQ(IntCell(table, row, "ranks"), 1);
    EXPECT_EQ(IntCell(table, row, "max_rank"), 0);
    ++rows;
  }
  EXPECT_EQ(rows, 3);
}

// Inferred steps count from 0 in every recording.
TEST(KernelSteps, StepsOfTwoRecordingsAreNotOneLongStep) {
  JobForTest job;
  job.Add(0, RankWith(1000, 400), 0).Add(0, RankWith(1000, 400), 1).Add(1, RankWith(1000, 400));
  EXPECT_EQ(Rows(job.Run(KernelStepsAnalysis(), {{"top", "1"}}),
                 {"step", "ranks", "count", "total_ns", "mean_per_rank_ns", "change_pct"}),
            "1,2,3,1200,400,0\n2,2,3,1200,400,0\n");
}

// One grid serves products of many sizes; the op that launched them tells them apart.
TEST(KernelOutliers, AmongWorkOfTheSameInputs) {
  TraceForTest trace;
  for (int i = 0; i < 16; ++i) {
    const bool is_large = i % 8 == 0;
    const bool is_slow = i == 5;
    trace.Op(1, "aten::mm", 1000 * i, 100, is_large ? "[[8,64]]" : "[[8,8]]")
        .Launch(i, 1000 * i + 10, 20)
        .Kernel(7, "gemm", 1000 * i + 100, is_large || is_slow ? 400 : 100, i);
  }
  JobForTest job;
  job.Add(0, trace.Build());
  EXPECT_EQ(Rows(job.Run(KernelOutliersAnalysis()), {"ts_ns", "dur_ns", "median_ns"}),
            "5100,400,100\n");
}

TEST(KernelOutliers, AmongWorkOfTheSameShape) {
  TraceForTest trace;
  KernelArgs small;
  small.grid = {1, 1, 1};
  KernelArgs large;
  large.grid = {100, 1, 1};
  // Of the small ones one takes 300 instead of 100; the large one is slow by its nature.
  for (int i = 0; i < 8; ++i) trace.Kernel(7, "a", 1000 * i, i == 5 ? 300 : 100 + i).Args(small);
  trace.Kernel(7, "a", 8000, 900).Args(large);
  JobForTest job;
  job.Add(0, trace.Build());
  EXPECT_EQ(Rows(job.Run(KernelOutliersAnalysis()), {"ts_ns", "dur_ns", "name", "median_ns"}),
            "5000,300,a,103.5\n");
}

}  // namespace
}  // namespace rankscope
