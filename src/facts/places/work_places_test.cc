#include "facts/places/work_places.h"

#include <gtest/gtest.h>

#include "facts/windows.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

// Row of the device work that begins then.
Row WorkAt(const RankTrace& trace, std::int64_t ts) {
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (IsDeviceWork(trace.kind[row]) && trace.ts_ns[row] == ts) return row;
  }
  return kNoRow;
}

TEST(WorkPlaces, OpShapesModuleLineAndPhaseOfTheLaunch) {
  TraceForTest literal;
  literal.Host(1, EventKind::kPythonFunction, "train.py(9): step", 0, 500)
      .Host(1, EventKind::kPythonFunction, "nn.Module: Linear_3", 10, 100)
      .Op(1, "aten::linear", 20, 60, "[[8,8]]")
      .Host(1, EventKind::kCpuOp, "aten::addmm", 30, 40)
      .Launch(1, 40, 5)
      .Host(1, EventKind::kCpuOp, "aten::fill_", 200, 40)
      .Launch(2, 210, 5)
      .Kernel(7, "gemm", 1000, 10, 1)
      .Kernel(7, "fill", 2000, 10, 2)
      .Kernel(7, "alone", 3000, 10);
  const RankTrace trace = literal.Build();
  const TraceFacts facts(trace);
  const WorkPlaces places(facts, Windows::OfHost(facts, {}));

  const LaunchPlace gemm = places.Of(WorkAt(trace, 1000));
  EXPECT_EQ(trace.name_of(gemm.op), "aten::addmm");
  EXPECT_EQ(trace.strings.Get(gemm.shapes), "[[8,8]]");  // of the op that states them
  EXPECT_EQ(places.module(gemm), "Linear");
  EXPECT_EQ(places.line(gemm), "train.py(9): step");
  EXPECT_EQ(gemm.phase, static_cast<std::uint8_t>(HostPhase::kForward));

  const LaunchPlace fill = places.Of(WorkAt(trace, 2000));
  EXPECT_EQ(trace.name_of(fill.op), "aten::fill_");
  EXPECT_EQ(fill.shapes, kEmptyString);
  EXPECT_EQ(places.module(fill), "");
  EXPECT_EQ(places.line(fill), "train.py(9): step");
  EXPECT_EQ(fill.phase, static_cast<std::uint8_t>(HostPhase::kOther));

  const LaunchPlace alone = places.Of(WorkAt(trace, 3000));
  EXPECT_EQ(alone.op, kNoRow);
  EXPECT_EQ(places.line(alone), "");
  EXPECT_EQ(alone.phase, kPhaseCount);
}

TEST(WorkPlaces, AProcessGroupIsCalledAsItWasDescribed) {
  TraceForTest literal;
  literal.Comm(13, 100, 10, {.name = "allreduce", .group = "7", .description = "mesh_tp"})
      .Comm(13, 200, 10, {.name = "allreduce", .group = "8", .description = "undefined"})
      .Comm(13, 300, 10, {.name = "allreduce", .group = "9"})
      .Kernel(13, "ncclDevKernel", 400, 10);
  const RankTrace trace = literal.Build();
  const auto group = [&](std::int64_t ts) {
    return trace.strings.Get(ProcessGroupOf(trace, WorkAt(trace, ts)));
  };
  EXPECT_EQ(group(100), "mesh_tp");
  EXPECT_EQ(group(200), "8");
  EXPECT_EQ(group(300), "9");
  EXPECT_EQ(group(400), "");
}

}  // namespace
}  // namespace rankscope
