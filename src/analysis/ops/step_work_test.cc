#include "analysis/ops/analyses.h"

#include <gtest/gtest.h>

#include "analysis/steps/analyses.h"
#include "schemas/steps.h"
#include "schemas/work.h"
#include "stage/job_for_test.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

constexpr EventKind kStepWorkOp = EventKind::kCpuOp;

//   host    linear |0 mm |2----20| --25|   add |30---50|
//   gemm           |10---------60|                        launched by mm's call at 5
//   sum                      |50-----80|                  launched by add's call at 35
//   copy                 |40-----------90|                no call is recorded
TraceForTest AtOnce() {
  TraceForTest trace;
  trace.Host(1, kStepWorkOp, "aten::linear", 0, 25).Host(1, kStepWorkOp, "aten::mm", 2, 18);
  trace.Host(1, kStepWorkOp, "aten::add", 30, 20);
  trace.Launch(1, 5, 2).Launch(2, 35, 2);
  trace.Kernel(7, "gemm", 10, 50, 1).Kernel(8, "sum", 50, 30, 2).Copy(9, 8, 40, 50);
  return trace;
}

std::string Work(const Table& table) {
  return Rows(table, {"part", "path", "name", "count", "duration_ns", "busy_ns", "first_ns"});
}

TEST(StepWork, WorkAtOnceCountsWithTheOneThatBeganFirst) {
  EXPECT_EQ(Work(JobForTest().Add(0, AtOnce().Build()).Run(StepWorkAnalysis())),
            "compute,aten::linear > aten::mm,gemm,1,50,50,10\n"
            "compute,aten::add,sum,1,20,30,50\n"
            "host,aten::add,,1,20,,30\n"
            "host,aten::linear > aten::mm,,1,18,,2\n"
            "exposed_copy,,Memcpy HtoD,1,10,50,40\n"
            "host,aten::linear,,1,7,,0\n"
            "idle_host,aten::linear > aten::mm,,1,5,,0\n"
            "idle_launch,aten::linear > aten::mm,,1,5,,5\n");
}

TEST(StepWork, RanksAreAddedUpUnlessTheyAreAskedFor) {
  JobForTest job;
  job.Add(0, AtOnce().Build()).Add(3, AtOnce().Build());
  const auto& columns = SchemaOf<StepWork>();
  const TableOf<StepWork> all(job.Run(StepWorkAnalysis()));
  EXPECT_EQ(all.Int(0, columns.count), 2);
  EXPECT_EQ(all.Int(0, columns.duration_ns), 100);
  EXPECT_TRUE(all.IsNull(0, columns.rank));
  const TableOf<StepWork> each(job.Run(StepWorkAnalysis(), {{"ranks", "1"}}));
  EXPECT_EQ(each.row_count(), 2 * all.row_count());
  EXPECT_EQ(each.Int(0, columns.rank), 0);
  EXPECT_EQ(each.Int(0, columns.duration_ns), 50);
}

// Only what is no work has no class: a cached partial that says otherwise is refused.
TEST(StepWork, ADamagedClassIsRefused) {
  const RankTrace trace = AtOnce().Build();
  const TraceFacts facts(trace);
  const Analysis& analysis = StepWorkAnalysis();
  const std::vector<Table> whole = analysis.mapper.map(facts, {});
  const std::size_t class_at = 2;  // part, phase, kernel_class
  ASSERT_EQ(whole[0].columns()[class_at].name, "kernel_class");
  const auto add = [&](std::int64_t kernel_class) {
    Table places(whole[0].name(), whole[0].columns());
    for (std::size_t row = 0; row < whole[0].row_count(); ++row) {
      std::vector<Value> values;
      for (std::size_t column = 0; column < whole[0].column_count(); ++column)
        values.push_back(whole[0].At(row, column));
      const bool is_gemm = whole[0].columns().back().name == "name" &&
                           values.back() == Value(std::string_view("gemm"));
      if (is_gemm) values[class_at] = kernel_class;
      places.AddRow(values);
    }
    return analysis.reducer(CompleteOptions(analysis, {}).value())
        ->Add(Capture{}, MoveTables(std::move(places), Table(whole[1])));
  };
  EXPECT_TRUE(add(static_cast<std::int64_t>(KernelClass::kMemory)).ok());
  EXPECT_FALSE(add(kKernelClassCount).ok());
  EXPECT_FALSE(add(-1).ok());
}

// A kernel of step 5 runs on while the host is in step 6: its time is cut at the windows of the
// device, its count is the step's that launched it.
TEST(StepWork, RowsOfAWindowAddUpToIt) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 4; ++step) {
    const std::int64_t t = 1'000 * step;
    trace.Step(5 + step, t, 1'000).Host(1, kStepWorkOp, "aten::mm", t + 100, 300);
    trace.Launch(10 * step + 1, t + 150, 10).Launch(10 * step + 2, t + 200, 10);
    trace.Kernel(7, "gemm", t + 300, 600, 10 * step + 1);
    trace.Kernel(8, "ncclDevKernel_AllReduce", t + 700, 350, 10 * step + 2);
  }
  JobForTest job;
  job.Add(0, trace.Build());
  const auto& of_work = SchemaOf<StepWork>();
  const auto& of_time = SchemaOf<TimeBreakdown>();
  const TableOf<StepWork> work(job.Run(StepWorkAnalysis()));
  const TableOf<TimeBreakdown> times(job.Run(TimeBreakdownAnalysis()));
  std::map<std::optional<std::int64_t>, std::int64_t> sums;
  std::map<std::optional<std::int64_t>, std::int64_t> expected;
  for (std::size_t row = 0; row < work.row_count(); ++row) {
    if (work.String(row, of_work.part) != kHostWork)
      sums[work.Known(row, of_work.step)] += work.Int(row, of_work.duration_ns);
  }
  for (std::size_t row = 0; row < times.row_count(); ++row)
    expected[times.Known(row, of_time.step)] += times.Int(row, of_time.duration_ns);
  EXPECT_EQ(sums, expected);
  EXPECT_GE(sums.size(), 4);
}

}  // namespace
}  // namespace rankscope
