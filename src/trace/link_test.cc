#include "trace/link.h"

#include <gtest/gtest.h>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

using Sources = std::vector<std::uint32_t>;
using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
constexpr std::uint32_t kNone = kNoSource;

std::int64_t CountOf(const RankTrace& trace, QualityCode code, std::string_view part) {
  for (const QualityEntry& entry : trace.meta.quality) {
    if (entry.code == code && entry.message.find(part) != std::string::npos) return entry.count;
  }
  return 0;
}

TEST(Parents, Nested) {
  TestTrace test;
  test.Op("a", 0, 100);
  test.Op("b", 10, 20);
  test.Op("c", 15, 5);
  test.Op("d", 20, 5);
  test.Op("e", 40, 60);   // ends with a
  test.Op("f", 100, 10);  // begins where a ends
  EXPECT_EQ(ParentsBySource(test.Finish()), (Sources{kNone, 0, 1, 1, 0, kNone}));
}

TEST(Parents, EqualTimes) {
  TestTrace test;
  test.Op("short", 10, 5);
  test.Op("long", 10, 50);
  test.Op("same", 10, 50);
  test.Op("shortest", 10, 1);
  // Longer first, then by place in the file: long, same, short, shortest.
  EXPECT_EQ(ParentsBySource(test.Finish()), (Sources{2, kNone, 1, 0}));
}

TEST(Parents, OverlapsAreChildrenOfTheRowTheyBeginIn) {
  TestTrace test;
  test.Op("a", 0, 10'000);
  test.Op("b", 5'000, 15'000);   // begins in a, ends after it
  test.Op("c", 12'000, 4'000);   // a is over, b is open
  test.Op("d", 18'000, 10'000);  // begins in b, ends after it
  test.Op("e", 25'000, 1'000);   // only d is open
  EXPECT_EQ(ParentsBySource(test.Finish()), (Sources{kNone, 0, 1, 1, 3}));
}

// 6.862 us from 202.757 and 6.865 from 209.618: the second follows the first, whose kernels are its
// own. An op that ends a tick after the one around it is still in it.
TEST(Parents, WhatBeginsATickBeforeTheEndOfAnotherFollowsIt) {
  TestTrace test;
  test.Op("around", 200'000, 16'482);
  test.Op("first", 202'757, 6'862);
  test.Op("second", 209'618, 6'865);  // ends at 216'483
  EXPECT_EQ(ParentsBySource(test.Finish()), (Sources{kNone, 0, 0}));
}

// In integer microseconds, where that is the larger part of the row.
TEST(Parents, ATickMayBeAMicrosecond) {
  TestTrace test;
  test.Op("first", 0, 5'000);
  test.Op("second", 4'000, 3'000);
  test.Op("third", 8'000, 2'000);
  test.Op("inside", 9'500, 600);  // most of it lies in the third
  EXPECT_EQ(ParentsBySource(test.Finish()), (Sources{kNone, kNone, kNone, 2}));
}

TEST(Parents, ARowUnderAnOpenOneMayBeOver) {
  TestTrace test;
  test.Op("a", 0, 100'000);
  test.Op("b", 10'000, 5'000);
  test.Op("c", 12'000, 20'000);  // in b, outlives it
  test.Op("d", 33'000, 1'000);   // b and c are over
  EXPECT_EQ(ParentsBySource(test.Finish()), (Sources{kNone, 0, 1, 0}));
}

TEST(Parents, ZeroAndUnknownDurationHaveNoChildren) {
  TestTrace test;
  test.Op("a", 0, 10);
  test.Op("zero", 5, 0);
  test.Op("unknown", 5, kNoDuration);
  test.Op("after", 5, 1);
  test.Op("zero at the end", 10, 0);
  test.Op("zero at the begin of b", 20, 0);
  test.Op("b", 20, 5);
  EXPECT_EQ(ParentsBySource(test.Finish()), (Sources{kNone, 3, 3, 0, kNone, 6, kNone}));
}

TEST(Parents, StayOnTheirThreadAndOffTheDevice) {
  TestTrace test;
  test.Op("a", 0, 100, 1);
  test.Op("other thread", 10, 10, 2);
  test.Kernel(10, 50, 0);
  test.Kernel(20, 10, 0);  // overlaps on its stream: not a child
  test.Add(EventKind::kDeviceAnnotation, test.Track(Domain::kDeviceAnnotation, 7), "outer", 0, 90);
  test.Add(EventKind::kDeviceAnnotation, test.Track(Domain::kDeviceAnnotation, 7), "inner", 5, 9);
  EXPECT_EQ(ParentsBySource(test.Finish()), (Sources{kNone, kNone, kNone, kNone, kNone, 4}));
}

TEST(Launches, EachKernelFindsItsCall) {
  TestTrace test;
  test.Call("cudaLaunchKernel", 0, 5, 11);
  test.Call("cudaLaunchKernel", 10, 5, 12);
  test.Kernel(30, 10, 12);
  test.Kernel(20, 10, 11);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(BySource(trace, trace.launch_kernels), (Pairs{{0, 3}, {1, 2}}));
  EXPECT_EQ(SourceOf(trace, trace.link[RowOf(trace, 0)]), 3U);
  EXPECT_EQ(SourceOf(trace, trace.link[RowOf(trace, 2)]), 1U);
  EXPECT_TRUE(trace.meta.quality.empty());
}

TEST(Launches, AGraphLaunchHasManyKernels) {
  TestTrace test;
  test.Kernel(90, 5, 5, 9);
  test.Kernel(50, 5, 5, 7);
  test.Call("cudaGraphLaunch", 0, 5, 5);
  test.Kernel(40, 5, 5, 8);
  test.Kernel(60, 5, 5, 7);
  const RankTrace trace = test.Finish();
  // By call, then by stream and time, as the rows lie.
  EXPECT_EQ(BySource(trace, trace.launch_kernels), (Pairs{{2, 1}, {2, 4}, {2, 3}, {2, 0}}));
  EXPECT_EQ(trace.KernelsOf(RowOf(trace, 2)).size(), 4U);
  EXPECT_EQ(SourceOf(trace, trace.link[RowOf(trace, 2)]), 3U) << "the first in time";
  EXPECT_TRUE(trace.KernelsOf(RowOf(trace, 0)).empty());
}

TEST(Launches, OfTwoCallsWithOneIdTheFirstCounts) {
  TestTrace test;
  test.Call("cudaLaunchKernel", 50, 5, 3);
  test.Call("cudaLaunchKernel", 10, 5, 3);
  test.Kernel(100, 5, 3);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(BySource(trace, trace.launch_kernels), (Pairs{{1, 2}}));
  EXPECT_EQ(CountOf(trace, QualityCode::kUnmatchedLaunch, "launches whose"), 1);
}

TEST(Launches, IdsBelowOneMeanNone) {
  TestTrace test;
  test.Call("cudaDeviceSynchronize", 0, 5, 0);
  test.Call("cudaMalloc", 5, 5, -1);
  test.Kernel(10, 5, 0);
  test.Kernel(20, 5, -1);
  test.Kernel(30, 5, -7);
  const RankTrace trace = test.Finish();
  EXPECT_TRUE(trace.launch_kernels.empty());
  EXPECT_TRUE(trace.meta.quality.empty());
}

// Ids as large as they come, too far apart for an array.
TEST(Launches, SparseHugeIds) {
  TestTrace test;
  const std::int64_t ids[] = {1, 5'000'000'000, INT64_MAX - 1, INT64_MAX};
  for (int i = 0; i < 4; ++i) test.Call("cudaLaunchKernel", i * 10, 5, ids[i]);
  for (int i = 0; i < 4; ++i) test.Kernel(100 + i * 10, 5, ids[i]);
  test.Kernel(200, 5, 2);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(BySource(trace, trace.launch_kernels), (Pairs{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(CountOf(trace, QualityCode::kUnmatchedLaunch, "device work whose"), 1);
}

TEST(Launches, DenseIdsAwayFromZero) {
  TestTrace test;
  for (std::int64_t i = 0; i < 10; ++i) test.Call("cudaLaunchKernel", i, 1, 4'000'000'000 + i);
  for (const std::int64_t id : {3'999'999'999, 4'000'000'000, 4'000'000'009, 4'000'000'010})
    test.Kernel(100 + id % 100, 1, id, id % 1000);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(BySource(trace, trace.launch_kernels), (Pairs{{0, 11}, {9, 12}}));
  EXPECT_EQ(CountOf(trace, QualityCode::kUnmatchedLaunch, "device work whose"), 2);
}

// What launches no work (a malloc, a synchronisation) is not counted as dropped.
TEST(Launches, CountsWhatHasNoOtherSide) {
  TestTrace test;
  test.Call("cudaLaunchKernelExC", 0, 5, 1);
  test.Call("cuLaunchKernel", 1, 5, 2);
  test.Call("hipGraphLaunch", 2, 5, 3);
  test.Call("cudaMalloc", 3, 5, 4);
  test.Call("cudaStreamSynchronize", 4, 5, 5);
  test.Kernel(30, 5, 2);
  test.Kernel(40, 5, 99);
  test.Kernel(50, 5, 98);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(CountOf(trace, QualityCode::kUnmatchedLaunch, "launches whose"), 2);
  EXPECT_EQ(CountOf(trace, QualityCode::kUnmatchedLaunch, "device work whose"), 2);
}

TEST(Waits, RecordToWait) {
  TestTrace test;
  test.Call("cudaEventRecord", 0, 1, 21);
  test.Call("cudaStreamWaitEvent", 5, 1, 22);
  test.Wait(60, 10, 22, 21);
  test.Wait(10, 10, 22, 21);
  test.Wait(80, 10, 22, 77);  // recorded before the trace began
  test.Wait(90, 10, 22, -1);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(BySource(trace, trace.record_wait), (Pairs{{0, 3}, {0, 2}}));
  EXPECT_EQ(SourceOf(trace, trace.link[RowOf(trace, 2)]), 1U) << "its own call";
  EXPECT_TRUE(trace.launch_kernels.empty()) << "a wait is not device work";
}

TEST(ForwardBackward, ByFlow) {
  TestTrace test;
  test.Op("forward outer", 10, 20, 1);
  test.Op("forward inner", 10, 10, 1);
  test.Op("other", 40, 10, 1);
  test.Op("backward", 100, 20, 2);
  test.Op("backward of other", 130, 20, 2);
  test.Flow(1, 10, 1, true);
  test.Flow(2, 40, 1, true);
  test.Flow(2, 130, 2, false);
  test.Flow(1, 100, 2, false);
  test.Flow(3, 10, 1, true);    // never ends
  test.Flow(4, 100, 2, false);  // never began
  test.Flow(5, 11, 1, true);    // no op begins there
  test.Flow(5, 100, 2, false);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(BySource(trace, trace.forward_backward), (Pairs{{1, 3}, {2, 4}}));
}

TEST(ForwardBackward, BySequenceNumber) {
  TestTrace test;
  test.OpWithSequence("linear", 0, 50, 1, 5, 0);
  test.OpWithSequence("addmm", 10, 30, 1, 5, 0);
  test.OpWithSequence("relu", 60, 10, 1, 6, -1);
  test.OpWithSequence("AddmmBackward", 200, 50, 2, 5, 1);
  test.OpWithSequence("mm", 210, 10, 2, 5, 1);
  test.OpWithSequence("ReluBackward", 100, 50, 2, 6, 1);
  test.OpWithSequence("NoForward", 300, 50, 2, 9, 1);
  test.OpWithSequence("no number", 400, 50, 2, -1, 1);
  const RankTrace trace = test.Finish();
  // The outermost of each side: linear, not addmm; AddmmBackward, not mm.
  EXPECT_EQ(BySource(trace, trace.forward_backward), (Pairs{{0, 3}, {2, 5}}));
}

TEST(ForwardBackward, FlowsWinOverSequenceNumbers) {
  TestTrace test;
  test.OpWithSequence("forward", 0, 5, 1, 5, 0);
  test.OpWithSequence("backward", 20, 5, 2, 5, 1);
  test.OpWithSequence("other", 10, 5, 1, 7, 0);
  test.Flow(1, 10, 1, true);
  test.Flow(1, 20, 2, false);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(BySource(trace, trace.forward_backward), (Pairs{{2, 1}}));
}

TEST(Collectives, KnowTheirRow) {
  TestTrace test;
  test.Kernel(500, 5, 0);
  RawRow& kernel = test.Kernel(100, 5, 0);
  kernel.aux = 0;
  test.batch.kernels.push_back({.collective = 1});
  test.batch.collectives.resize(3);
  RawRow& op = test.Op("record_param_comms", 0, 5);
  op.aux = 0;
  test.batch.ops.push_back({.collective = 0});
  const RankTrace trace = test.Finish();
  EXPECT_EQ(SourceOf(trace, trace.collectives[0].row), 2U);
  EXPECT_EQ(SourceOf(trace, trace.collectives[1].row), 1U);
  EXPECT_EQ(trace.collectives[2].row, kNoRow);
}

TEST(Bounds, OverRowsWithAnExtent) {
  TestTrace test;
  test.Op("instant before", -50, kNoDuration);
  test.Op("a", 10, 5);
  test.Kernel(100, 30, 0);
  test.Op("b", 90, 0);
  RawRow& profiler = test.Op("PyTorch Profiler", -1000, 5000);
  profiler.category = test.scope.strings.Intern("Trace");
  const RankTrace trace = test.Finish();
  EXPECT_EQ(trace.begin_ns, 10);
  EXPECT_EQ(trace.finish_ns, 130);
  const RankTrace empty = TestTrace().Finish();
  EXPECT_EQ(empty.begin_ns, 0);
  EXPECT_EQ(empty.finish_ns, 0);
}

}  // namespace
}  // namespace rankscope
