#include "analysis/captures/recording_cost.h"

#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

// Two complete steps of 100 us and a last one. In each the main thread has one op with shapes, two
// without, a Python frame and a launch; another thread has ops, too. The device computes 10 us a
// step, and waits in a collective for longer, which no step has to take.
TEST(RecordingCost, OfThreadsThatLaunchInCompleteSteps) {
  TraceForTest literal;
  for (const std::int64_t step : {0, 1, 2}) {
    const std::int64_t t = step * 100 * kUs;
    literal.Step(step, t, 100 * kUs)
        .Host(1, EventKind::kPythonFunction, "train.py(1): step", t + 1, 90 * kUs)
        .Op(1, "aten::mm", t + 2 * kUs, 5 * kUs, "[[8, 8]]")
        .Host(1, EventKind::kCpuOp, "aten::a", t + 10 * kUs, kUs)
        .Host(1, EventKind::kCpuOp, "aten::b", t + 12 * kUs, kUs)
        .Launch(step + 1, t + 40 * kUs, 2 * kUs)
        .Host(2, EventKind::kCpuOp, "aten::c", t + 12 * kUs, kUs)
        .Kernel(7, "k", t + 50 * kUs, 10 * kUs, step + 1)
        .Kernel(9, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", t + 62 * kUs, 30 * kUs);
  }
  const RankTrace trace = literal.Build();
  const TraceFacts facts(trace);
  const RecordingCost cost = CostOfRecording(facts);
  const std::int64_t steps = cost.steps_ns / (100 * kUs);
  ASSERT_GE(steps, 2);
  EXPECT_EQ(cost.busy_ns, steps * 10 * kUs);
  EXPECT_GT(cost.host_idle_ns, 0);
  EXPECT_EQ(cost.ops, steps * 3);
  EXPECT_EQ(cost.frames, steps);
  EXPECT_EQ(cost.calls, steps);
  EXPECT_TRUE(cost.has_shapes);
  EXPECT_EQ(cost.EstimateNs(), steps * (3 * 4000 + 600 + 1000));
  // Behind the frame's begin 2 us, in mm 4, to the next op 3, in the two and between them 1 each,
  // up to the launch 5 (an op and a call), in it 1, to the frame's end 1.6 (a call and a frame), to
  // the step's end 0.6.
  EXPECT_EQ(cost.most_ns, steps * 20'200);
}

// A hundred ops that begin a microsecond after each other: no 4 us went to recording one.
TEST(RecordingCost, IsNoMoreThanTheTimeThatPassed) {
  TraceForTest literal;
  for (const std::int64_t step : {0, 1, 2}) {
    const std::int64_t t = step * 200 * kUs;
    literal.Step(step, t, 200 * kUs).Launch(step + 1, t, kUs);
    for (int i = 0; i < 100; ++i)
      literal.Op(1, "aten::view", t + (2 + i) * kUs, kUs / 2, "[[8, 8]]");
    literal.Kernel(7, "k", t + 120 * kUs, 10 * kUs, step + 1);
  }
  const RankTrace trace = literal.Build();
  const RecordingCost cost = CostOfRecording(TraceFacts(trace));
  const std::int64_t steps = cost.steps_ns / (200 * kUs);
  ASSERT_GE(steps, 2);
  EXPECT_EQ(cost.ops, steps * 100);
  // The launch, the microsecond behind it, the ops and what is between, an op's at the end.
  EXPECT_EQ(cost.most_ns, steps * (1000 + 1000 + 99'500 + 4000));
  EXPECT_EQ(cost.EstimateNs(), cost.most_ns);
}

}  // namespace
}  // namespace rankscope
