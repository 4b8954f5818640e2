#include "trace/cut_work.h"

#include <gtest/gtest.h>

#include "base/units_for_test.h"
#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

// Ten kernels of 1 ms, one each 1.005 ms.
TestTrace Kernels(int count) {
  TestTrace test;
  for (int i = 0; i < count; ++i) test.Kernel(i * (kMs + 5000), kMs, 0);
  return test;
}

TEST(CutWork, AnImpossibleDurationEndsWhereTheNextWorkBegins) {
  TestTrace test = Kernels(10);
  test.batch.rows[4].dur_ns = 1600 * kMs;
  const RankTrace trace = test.Finish();
  EXPECT_EQ(trace.dur_ns[4], kMs + 5000);
  ASSERT_EQ(trace.cut_work.size(), 1U);
  EXPECT_EQ(trace.cut_work[0].row, 4U);
  EXPECT_EQ(trace.cut_work[0].stated_ns, 1600 * kMs);
  EXPECT_EQ(trace.finish_ns, 9 * (kMs + 5000) + kMs);
  ASSERT_EQ(trace.meta.quality.size(), 1U);
  EXPECT_EQ(trace.meta.quality[0].code, QualityCode::kImpossibleDuration);
}

TEST(CutWork, OverlapsOfMicrosecondsStay) {
  TestTrace test = Kernels(10);
  for (RawRow& row : test.batch.rows) row.dur_ns += 50'000;
  const RankTrace trace = test.Finish();
  EXPECT_EQ(trace.dur_ns[4], kMs + 50'000);
  EXPECT_TRUE(trace.cut_work.empty());
}

TEST(CutWork, ALittleOfALongKernelStays) {
  TestTrace test;
  test.Kernel(0, 100 * kMs, 0);
  test.Kernel(60 * kMs, 10 * kMs, 0);
  EXPECT_TRUE(test.Finish().cut_work.empty());
}

TEST(CutWork, AStreamThatRunsWorkSideBySideStays) {
  TestTrace test = Kernels(10);
  test.batch.rows[2].dur_ns = 5 * kMs;
  test.batch.rows[6].dur_ns = 5 * kMs;
  EXPECT_TRUE(test.Finish().cut_work.empty());
}

TEST(CutWork, TheLastWorkAndOneThatBeginsWithTheNextStay) {
  TestTrace test = Kernels(10);
  test.batch.rows[9].dur_ns = 1600 * kMs;
  test.batch.rows[3].ts_ns = test.batch.rows[4].ts_ns;
  test.batch.rows[3].dur_ns = 900 * kMs;
  EXPECT_TRUE(test.Finish().cut_work.empty());
}

TEST(CutWork, NodesOfAGraphStay) {
  TestTrace test = Kernels(10);
  test.Call("cudaGraphLaunch", -10'000, 10, 7);
  test.batch.rows[4].correlation = 7;
  test.batch.rows[4].dur_ns = 1600 * kMs;
  EXPECT_TRUE(test.Finish().cut_work.empty());
}

}  // namespace
}  // namespace rankscope
