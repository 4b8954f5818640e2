#include "facts/launch_parts.h"

#include <gtest/gtest.h>

#include <string_view>

#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

StepPart PartOf(const RankTrace& trace, std::string_view name) {
  const TraceFacts facts(trace);
  const Windows windows = Windows::OfHost(facts, std::nullopt);
  const LaunchParts parts(trace, windows);
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (trace.name_of(row) == name) return parts.Of(row, windows.At(trace.ts_ns[row]));
  }
  ADD_FAILURE() << "no row " << name;
  return StepPart::kForward;
}

TEST(LaunchParts, OfATrainingStep) {
  TraceForTest trace;
  trace.Step(0, 0, 1000);
  trace.Host(1, EventKind::kCpuOp, "gather", 100, 10);
  trace.Host(2, EventKind::kCpuOp, "autograd::engine::evaluate_function: MmBackward0", 300, 100);
  trace.Host(2, EventKind::kCpuOp, "inside", 310, 10);
  trace.Host(2, EventKind::kCpuOp, "hook", 420, 10);  // on autograd's thread
  trace.Host(2, EventKind::kCpuOp, "torch::autograd::AccumulateGrad", 440, 10);
  trace.Host(1, EventKind::kCpuOp, "meanwhile", 320, 10);
  trace.Host(1, EventKind::kCpuOp, "norm", 500, 10);
  const RankTrace built = trace.Build();
  EXPECT_EQ(PartOf(built, "gather"), StepPart::kForward);
  EXPECT_EQ(PartOf(built, "inside"), StepPart::kBackward);
  EXPECT_EQ(PartOf(built, "hook"), StepPart::kBackward);
  EXPECT_EQ(PartOf(built, "meanwhile"), StepPart::kForward);
  EXPECT_EQ(PartOf(built, "norm"), StepPart::kAfter);
}

// Of an inference step all is forward, and so is what nobody is known to have launched.
TEST(LaunchParts, WithoutBackward) {
  TraceForTest trace;
  trace.Step(0, 0, 1000).Host(1, EventKind::kCpuOp, "last", 900, 10);
  const RankTrace built = trace.Build();
  EXPECT_EQ(PartOf(built, "last"), StepPart::kForward);
  const TraceFacts facts(built);
  const Windows windows = Windows::OfHost(facts, std::nullopt);
  EXPECT_EQ(LaunchParts(built, windows).Of(kNoRow, 0), StepPart::kForward);
}

TEST(LaunchParts, NamesOfAutograd) {
  for (const char* name : {"autograd::engine::evaluate_function: AddBackward0", "MmBackward0",
                           "CudnnConvolutionBackward", "torch::autograd::AccumulateGrad"})
    EXPECT_TRUE(IsAutogradOp(name)) << name;
  for (const char* name : {"aten::mm", "aten::_softmax_backward_data", "Backward pass", "0", ""})
    EXPECT_FALSE(IsAutogradOp(name)) << name;
}

}  // namespace
}  // namespace rankscope
