#include "trace/stray_calls.h"

#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

// The span that Kineto states.
void RecordedBetween(TestTrace& test, std::int64_t begin, std::int64_t end) {
  test.Add(EventKind::kOther, test.Track(Domain::kOther, 9), "PyTorch Profiler (0)", begin,
           end - begin)
      .category = test.scope.strings.Intern("Trace");
}

TEST(StrayCalls, DoNotStretchTheRecording) {
  TestTrace test;
  RecordedBetween(test, 0, 80 * kMs);
  test.Call("cudaEventQuery", -500 * kMs, 10, 0);
  test.Op("aten::mm", 0, 50 * kMs);
  test.Call("cudaLaunchKernel", 10 * kMs, 10, 1);
  test.Kernel(20 * kMs, 60 * kMs, 1);
  test.Call("cudaEventQuery", 1000 * kMs, 10, 0);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(trace.begin_ns, 0);
  EXPECT_EQ(trace.finish_ns, 80 * kMs);
  EXPECT_EQ(trace.track_of(RowOf(trace, 1)).domain, Domain::kOther);
  EXPECT_EQ(trace.track_of(RowOf(trace, 5)).domain, Domain::kOther);
  ASSERT_EQ(trace.meta.quality.size(), 1U);
  EXPECT_EQ(trace.meta.quality[0].code, QualityCode::kOutsideRecording);
  EXPECT_EQ(trace.meta.quality[0].count, 2);
}

TEST(StrayCalls, TheLastSynchronisationBelongsToTheRecording) {
  TestTrace test;
  RecordedBetween(test, 0, 60 * kMs);
  test.Op("aten::mm", 0, 50 * kMs);
  test.Call("cudaDeviceSynchronize", 50 * kMs + 1000, 200 * kMs, 0);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(trace.finish_ns, 250 * kMs + 1000);
  EXPECT_TRUE(trace.meta.quality.empty());
}

TEST(StrayCalls, NoneThatLaunchedRecordedWork) {
  TestTrace test;
  RecordedBetween(test, 0, 60 * kMs);
  test.Call("cudaLaunchKernel", -90 * kMs, 10, 1);
  test.Op("aten::mm", 0, 50 * kMs);
  test.Kernel(20 * kMs, 10 * kMs, 1);
  EXPECT_EQ(test.Finish().begin_ns, -90 * kMs);
}

TEST(StrayCalls, NoneWhereCallsAreAllThatIsKnownOfTheHost) {
  TestTrace test;
  test.Call("cudaMalloc", 0, 10, 0);
  test.Call("cudaLaunchKernel", 500 * kMs, 10, 1);
  test.Kernel(501 * kMs, 10 * kMs, 1);
  EXPECT_EQ(test.Finish().begin_ns, 0);
}

// Nsight Systems records all calls of a program, and ranges of a part of it.
TEST(StrayCalls, NoneWhereTheProfilerStatesNoSpan) {
  TestTrace test;
  test.Call("cudaMalloc", 0, 10, 0);
  test.Annotation("train", 500 * kMs, 50 * kMs);
  EXPECT_EQ(test.Finish().begin_ns, 0);
}

}  // namespace
}  // namespace rankscope
