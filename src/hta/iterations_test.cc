#include "hta/iterations.h"

#include <gtest/gtest.h>

#include "hta/trace_for_test.h"

namespace rankscope::hta {
namespace {

TEST(Iterations, HoldTheirBeginAndNotTheirEnd) {
  const RankTrace trace = UsTrace().Step(5, 10, 20).Step(6, 30, 10).Build();
  const Iterations iterations(LoadFrame(trace));
  EXPECT_EQ(iterations.At(9), kNone);
  EXPECT_EQ(iterations.At(10), 5);
  EXPECT_EQ(iterations.At(29), 5);
  EXPECT_EQ(iterations.At(30), 6);
  EXPECT_EQ(iterations.At(40), kNone);
}

TEST(Iterations, OfSeveralTheLastInTheFile) {
  // A step of the host, and the part of it that the profiler projects on the device.
  const RankTrace trace = UsTrace().Step(1, 0, 100).DeviceMark("ProfilerStep#2", 20, 10).Build();
  const Iterations iterations(LoadFrame(trace));
  EXPECT_EQ(iterations.At(19), 1);
  EXPECT_EQ(iterations.At(20), 2);
  EXPECT_EQ(iterations.At(30), 1);
}

TEST(Iterations, NamesThatAreNoStepsAndStepsWithoutTimeAreNone) {
  const RankTrace trace = UsTrace().Mark("ProfilerStep#x", 0, 10).Step(3, 0, 0).Build();
  const Iterations iterations(LoadFrame(trace));
  EXPECT_EQ(iterations.At(0), kNone);
}

}  // namespace
}  // namespace rankscope::hta
