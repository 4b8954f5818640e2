#include "analysis/device/analyses.h"

#include <gtest/gtest.h>

#include "analysis/steps/analyses.h"
#include "base/units_for_test.h"
#include "graph/innermost_rows.h"
#include "schemas/steps.h"
#include "stage/job_for_test.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

// A copy whose call returns at once and that begins long after: nobody knows what it waited for.
//
//   host    |range: op: 10 launch 15 ... op 200|        |range: op: 300 launch 305 .. 390|
//   device   kernel 0-10          copy 180-190                      copy 380-390
TraceForTest Waiting() {
  TraceForTest trace;
  trace.Host(1, EventKind::kPythonFunction, "train.py(9): main", 0, 400 * kUs)
      .Launch(1, 0, 2 * kUs)
      .Kernel(7, "gemm", 2 * kUs, 8 * kUs, 1);
  for (const std::int64_t t : {0, 200}) {
    trace.Host(1, EventKind::kUserAnnotation, "data_dist", (t + 5) * kUs, 190 * kUs)
        .Host(1, EventKind::kCpuOp, "aten::to", (t + 6) * kUs, 188 * kUs)
        .Host(1, EventKind::kCpuOp, "aten::copy_", (t + 7) * kUs, 186 * kUs)
        .Launch(t + 10, (t + 10) * kUs, 5 * kUs)
        .Host(1, EventKind::kRuntime, "cudaStreamSynchronize", (t + 16) * kUs, 176 * kUs, t + 11)
        .Kernel(7, "late", (t + 180) * kUs, 10 * kUs, t + 10);
  }
  return trace;
}

TEST(UnknownGaps, WhatTheHostDid) {
  JobForTest job;
  job.Add(0, Waiting().Build());
  const Table table = job.Run(UnknownGapsAnalysis());
  const std::string rows =
      Rows(table, {"host_op", "host_range", "host_call", "host_line", "gaps", "share_pct"});
  EXPECT_EQ(rows, "aten::to,data_dist,cudaStreamSynchronize,train.py(9): main,2,100\n");
  // With what time_breakdown says.
  const TableOf<TimeBreakdown> whole(job.Run(TimeBreakdownAnalysis()));
  std::int64_t unknown = 0;
  const auto& columns = SchemaOf<TimeBreakdown>();
  for (std::size_t row = 0; row < whole.row_count(); ++row)
    unknown += whole.Int(row, columns.unknown_ns);
  EXPECT_EQ(Rows(table, {"total_ns"}), fmt::format("{}\n", unknown));
  // 100 us after the launch has returned it is launching no more: twice from 115 to 180 us.
  EXPECT_EQ(unknown, 130 * kUs);
}

TEST(UnknownGaps, WithoutOneThereIsNoRow) {
  TraceForTest trace;
  trace.Launch(1, 0, 2 * kUs).Kernel(7, "gemm", 2 * kUs, 8 * kUs, 1);
  EXPECT_EQ(JobForTest().Add(0, trace.Build()).Run(UnknownGapsAnalysis()).row_count(), 0U);
}

// In every part of the time the same as in the whole.
TEST(InnermostRows, APartIsAsInTheWhole) {
  const RankTrace trace = Waiting().Build();
  for (std::uint32_t track = 0; track < trace.tracks.size(); ++track) {
    if (trace.tracks[track].domain != Domain::kHost) continue;
    for (std::int64_t begin = -10 * kUs; begin < 410 * kUs; begin += 3 * kUs) {
      const Interval part{begin, begin + 37 * kUs};
      std::string expected, found;
      ForEachInnermost(trace, track, [&](std::int64_t from, std::int64_t until, Row row) {
        const Interval both{std::max(from, part.begin), std::min(until, part.end)};
        if (both.begin < both.end)
          expected += fmt::format("{}-{} {}\n", both.begin, both.end, static_cast<int>(row));
      });
      ForEachInnermostIn(trace, track, part, [&](std::int64_t from, std::int64_t until, Row row) {
        found += fmt::format("{}-{} {}\n", from, until, static_cast<int>(row));
      });
      EXPECT_EQ(found, expected) << begin;
    }
  }
}

}  // namespace
}  // namespace rankscope
