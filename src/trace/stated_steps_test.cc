#include "trace/stated_steps.h"

#include <gtest/gtest.h>

#include <vector>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

struct Window {
  std::int64_t number = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool complete = true;
  friend bool operator==(const Window&, const Window&) = default;
  friend void PrintTo(const Window& w, std::ostream* out) {
    *out << w.number << " [" << w.begin << ", " << w.end << ")" << (w.complete ? "" : " cut");
  }
};
using Windows = std::vector<Window>;

Windows WindowsOf(const RankTrace& trace) {
  Windows windows;
  for (const Step& step : trace.steps) {
    EXPECT_EQ(step.inferred, 0);
    EXPECT_EQ(step.mark, kNoRow);
    windows.push_back({step.number, step.begin_ns, step.end_ns, step.complete != 0});
  }
  return windows;
}

Windows StepsOf(TestTrace test, const std::vector<StatedStep>& stated) {
  TraceBuilder builder;
  builder.Append(test.batch, test.scope, 0);
  for (const StatedStep& step : stated) builder.StateStep(step);
  return WindowsOf(std::move(builder).Finish({}, {}));
}

TEST(StatedSteps, SpanAllDevices) {
  EXPECT_EQ(StepsOf({}, {{3, 0, 100, 200}, {4, 0, 200, 300}, {3, 1, 90, 210}, {4, 1, 210, 320}}),
            (Windows{{3, 90, 200}, {4, 200, 320}}));
}

// A step that a device does not state is that of the others.
TEST(StatedSteps, OnOneDeviceOnly) {
  EXPECT_EQ(StepsOf({}, {{3, 0, 100, 200}, {4, 0, 200, 300}, {4, 1, 190, 290}}),
            (Windows{{3, 100, 190}, {4, 190, 300}}));
}

// Counters that start again: the second 0 is another step than the first.
TEST(StatedSteps, RepeatedNumbersAreDifferentSteps) {
  EXPECT_EQ(StepsOf({}, {{0, 0, 0, 10},
                         {1, 0, 10, 20},
                         {0, 0, 20, 30},
                         {0, 1, 1, 11},
                         {1, 1, 11, 20},
                         {0, 1, 21, 31}}),
            (Windows{{0, 0, 10}, {1, 10, 20}, {2, 20, 31}}));
}

TEST(StatedSteps, ThoseThatBeginTogetherAreOne) {
  EXPECT_EQ(StepsOf({}, {{0, 0, 0, 10}, {7, 0, 10, 20}, {8, 0, 10, 30}}),
            (Windows{{0, 0, 10}, {7, 10, 30}}));
}

// Steps of 9 with 1 between them: how long the last one takes is not known.
TEST(StatedSteps, TheWaitBehindTheLastIsNotRecorded) {
  EXPECT_EQ(StepsOf({}, {{0, 0, 0, 9}, {1, 0, 10, 19}, {2, 0, 20, 29}}),
            (Windows{{0, 0, 10}, {1, 10, 20}, {2, 20, 29, false}}));
  EXPECT_EQ(StepsOf({}, {{0, 0, 0, 9}}), (Windows{{0, 0, 9}}));
}

TEST(StatedSteps, ShortOnesAtTheEndsAreCut) {
  EXPECT_EQ(StepsOf({}, {{0, 0, 0, 4}, {1, 0, 4, 14}, {2, 0, 14, 24}, {3, 0, 24, 27}}),
            (Windows{{0, 0, 4, false}, {1, 4, 14}, {2, 14, 24}, {3, 24, 27, false}}));
}

// The host launches step 1 while the device is at step 0.
TEST(StatedSteps, BeginWithTheCallThatLaunchesThem) {
  TestTrace test;
  test.Call("cudaLaunchKernel", 5, 1, 1);
  test.Call("cudaLaunchKernel", 40, 1, 2);
  test.Kernel(100, 50, 1);
  test.Kernel(150, 50, 2);
  EXPECT_EQ(StepsOf(std::move(test), {{0, 0, 100, 150}, {1, 0, 150, 200}}),
            (Windows{{0, 5, 40}, {1, 40, 200}}));
}

TEST(StatedSteps, MarksOfTheHostComeFirstWhereItLaunchesTheWork) {
  TestTrace test;
  test.Annotation("ProfilerStep#5", 0, 50);
  test.Call("cudaLaunchKernel", 5, 1, 1);
  test.Kernel(100, 50, 1);
  const std::vector<StatedStep> stated = {{0, 0, 100, 150}};
  TraceBuilder builder;
  builder.Append(test.batch, test.scope, 0);
  builder.StateStep(stated[0]);
  const RankTrace trace = std::move(builder).Finish({}, {});
  ASSERT_EQ(trace.steps.size(), 1u);
  EXPECT_EQ(trace.steps[0].number, 5);
  // Without launches nobody knows what the host's marks have to do with the work.
  TestTrace other;
  other.Annotation("ProfilerStep#5", 0, 50);
  other.Kernel(100, 50, kNoCorrelation);
  EXPECT_EQ(StepsOf(std::move(other), stated), (Windows{{0, 100, 150}}));
}

}  // namespace
}  // namespace rankscope
