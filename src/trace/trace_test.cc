#include "trace/trace.h"

#include <gtest/gtest.h>

#include <set>

namespace rankscope {
namespace {

TEST(RankTrace, KernelsOfALaunch) {
  RankTrace trace;
  for (const RowPair pair : {RowPair{3, 10}, RowPair{3, 12}, RowPair{5, 9}, RowPair{8, 11}})
    trace.launch_kernels.push_back(pair);
  EXPECT_TRUE(trace.KernelsOf(0).empty());
  ASSERT_EQ(trace.KernelsOf(3).size(), 2U);
  EXPECT_EQ(trace.KernelsOf(3)[0].to, 10U);
  EXPECT_EQ(trace.KernelsOf(3)[1].to, 12U);
  EXPECT_TRUE(trace.KernelsOf(4).empty());
  ASSERT_EQ(trace.KernelsOf(8).size(), 1U);
  EXPECT_EQ(trace.KernelsOf(8)[0].to, 11U);
  EXPECT_TRUE(trace.KernelsOf(9).empty());
  EXPECT_TRUE(RankTrace().KernelsOf(0).empty());
}

TEST(RankTrace, StepAtHasHalfOpenWindows) {
  RankTrace trace;
  EXPECT_EQ(trace.StepAt(0), -1);
  trace.steps.push_back({.number = 7, .begin_ns = 10, .end_ns = 20});
  trace.steps.push_back({.number = 8, .begin_ns = 20, .end_ns = 30});
  trace.steps.push_back({.number = 9, .begin_ns = 50, .end_ns = 50});
  EXPECT_EQ(trace.StepAt(9), -1);
  EXPECT_EQ(trace.StepAt(10), 0);
  EXPECT_EQ(trace.StepAt(19), 0);
  EXPECT_EQ(trace.StepAt(20), 1);
  EXPECT_EQ(trace.StepAt(30), -1);
  EXPECT_EQ(trace.StepAt(50), -1);
}

TEST(RankTrace, EndOfARow) {
  RankTrace trace;
  for (const std::int64_t ts : {5, 6, 7}) trace.ts_ns.push_back(ts);
  for (const std::int64_t dur : {std::int64_t{10}, std::int64_t{0}, kNoDuration})
    trace.dur_ns.push_back(dur);
  EXPECT_EQ(trace.end_ns(0), 15);
  EXPECT_EQ(trace.end_ns(1), 6);
  EXPECT_EQ(trace.end_ns(2), 7);
}

TEST(EventKind, EachHasItsOwnNameAndThreeAreDeviceWork) {
  std::set<std::string_view> names;
  int device_work = 0;
  for (int i = 0; i < kEventKindCount; ++i) {
    names.insert(ToString(static_cast<EventKind>(i)));
    device_work += IsDeviceWork(static_cast<EventKind>(i));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kEventKindCount));
  EXPECT_EQ(names.count(""), 0U);
  EXPECT_EQ(device_work, 3);
  EXPECT_EQ(ToString(EventKind::kOther), "other");
}

}  // namespace
}  // namespace rankscope
