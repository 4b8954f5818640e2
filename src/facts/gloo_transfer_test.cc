#include "facts/gloo_transfer.h"

#include <gtest/gtest.h>

#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

Interval ExchangeIn(TraceForTest& made) {
  const RankTrace trace = made.Build();
  for (Row row = 0; row < trace.row_count(); ++row) {
    if (IsCollectiveOfGloo(trace, row)) return ExchangeOfGloo(trace, row);
  }
  return {};
}

TEST(GlooTransfer, BetweenTheCalls) {
  TraceForTest trace;
  trace.Host(2, EventKind::kUserAnnotation, "gloo:all_reduce", 100, 900)
      .Host(2, EventKind::kRuntime, "cudaStreamSynchronize", 120, 300)
      .Host(2, EventKind::kRuntime, "cudaMemcpyAsync", 950, 30);
  EXPECT_EQ(ExchangeIn(trace), (Interval{420, 950}));
}

TEST(GlooTransfer, OfTheHostsOwnTensors) {
  TraceForTest trace;
  trace.Host(2, EventKind::kUserAnnotation, "gloo:broadcast", 100, 900)
      .Host(2, EventKind::kRuntime, "cudaStreamSynchronize", 2000, 300)
      .Host(3, EventKind::kRuntime, "cudaStreamSynchronize", 200, 300);
  EXPECT_EQ(ExchangeIn(trace), (Interval{100, 1000}));
}

TEST(GlooTransfer, OtherRowsAreNone) {
  TraceForTest trace;
  trace.Host(2, EventKind::kUserAnnotation, "nccl:all_reduce", 100, 900)
      .Host(2, EventKind::kRuntime, "gloo:call", 1200, 900);
  EXPECT_EQ(ExchangeIn(trace), Interval{});
}

}  // namespace
}  // namespace rankscope
