#include <gtest/gtest.h>

#include "analysis/device/analyses.h"
#include "analysis/steps/analyses.h"
#include "base/units_for_test.h"
#include "schemas/device.h"
#include "schemas/steps.h"
#include "stage/job_for_test.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

// Step 1 from 0 to 1000 us. The host works in slow_op of train.py until it launches the second
// kernel, then waits for the device.
//
//   host    launch 0   |slow_op 20------300| launch 310     |item 340 { synchronize 350--500 }|
//   device  kernel 10-30                          kernel 315-500
TraceForTest StepIdleGaps() {
  TraceForTest trace;
  trace.Step(1, 0, 1000 * kUs)
      .Host(1, EventKind::kPythonFunction, "train.py(9): main", 0, 900 * kUs)
      .Launch(1, 0, 2 * kUs)
      .Host(1, EventKind::kCpuOp, "slow_op", 20 * kUs, 280 * kUs)
      .Launch(2, 310 * kUs, 2 * kUs)
      .Kernel(7, "a", 10 * kUs, 20 * kUs, 1)
      .Kernel(7, "b", 315 * kUs, 185 * kUs, 2);
  return trace;
}

TEST(IdleGaps, ByCauseAndWhatTheHostDid) {
  JobForTest job;
  job.Add(0, StepIdleGaps().Build());
  const Table table = job.Run(IdleGapsAnalysis());
  // 0-10 and 310-315 the launches take; from 30 to 310 the host is in slow_op for 270 of 280 us.
  EXPECT_EQ(Rows(table, {"step", "cause", "host_op", "host_call", "host_line", "gaps", "total_ns"}),
            "1,idle_host,slow_op,,train.py(9): main,1,280000\n"
            "1,idle_launch,,,train.py(9): main,2,15000\n"
            ",idle_host,,,train.py(9): main,1,500000\n");
}

// Whatever its rows are called, they are the idle time that time_breakdown has.
TEST(IdleGaps, SumToTheIdleTime) {
  JobForTest job;
  job.Add(0, StepIdleGaps().Build());
  std::int64_t gaps = 0;
  const TableOf<IdleGaps> table(job.Run(IdleGapsAnalysis()));
  for (std::size_t row = 0; row < table.row_count(); ++row)
    gaps += table.Int(row, SchemaOf<IdleGaps>().total_ns);
  const TableOf<TimeBreakdown> whole(job.Run(TimeBreakdownAnalysis()));
  const auto& columns = SchemaOf<TimeBreakdown>();
  std::int64_t idle = 0;
  for (std::size_t row = 0; row < whole.row_count(); ++row) {
    for (const auto part :
         {columns.idle_host_ns, columns.idle_data_ns, columns.idle_sync_ns, columns.idle_launch_ns,
          columns.idle_gap_ns, columns.idle_stream_ns, columns.unknown_ns})
      idle += whole.Int(row, part);
  }
  EXPECT_EQ(gaps, idle);
}

}  // namespace
}  // namespace rankscope
