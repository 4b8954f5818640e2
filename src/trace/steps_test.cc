#include "trace/steps.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>

#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

struct HostWindow {
  std::int64_t number = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  bool complete = true;
  bool inferred = false;
  friend bool operator==(const HostWindow&, const HostWindow&) = default;
  friend void PrintTo(const HostWindow& w, std::ostream* out) {
    *out << w.number << " [" << w.begin << ", " << w.end << ")" << (w.complete ? "" : " cut")
         << (w.inferred ? " inferred" : "");
  }
};

std::vector<HostWindow> HostWindowsOf(const RankTrace& trace) {
  std::vector<HostWindow> windows;
  for (const Step& step : trace.steps) {
    windows.push_back(
        {step.number, step.begin_ns, step.end_ns, step.complete != 0, step.inferred != 0});
    if (step.mark != kNoRow) {
      EXPECT_EQ(trace.ts_ns[step.mark], step.begin_ns);
    }
  }
  return windows;
}

using HostWindows = std::vector<HostWindow>;

// A profiler's schedule that repeats, or a loop that starts again: six steps, none like another.
TEST(Steps, NumbersThatComeAgainGoOn) {
  TestTrace test;
  std::int64_t at = 0;
  for (const char* mark : {"ProfilerStep#10", "ProfilerStep#11", "ProfilerStep#10",
                           "ProfilerStep#11", "ProfilerStep#13", "ProfilerStep#0"}) {
    test.Annotation(mark, at, 90);
    at += 100;
  }
  const RankTrace trace = test.Finish();
  EXPECT_EQ(HostWindowsOf(trace), (HostWindows{{10, 0, 100},
                                               {11, 100, 200},
                                               {12, 200, 300},
                                               {13, 300, 400},
                                               {15, 400, 500},
                                               {16, 500, 590}}));
  ASSERT_EQ(trace.meta.quality.size(), 1u);
  EXPECT_EQ(trace.meta.quality[0].count, 4);
}

TEST(Steps, OneNumberAgainAndAgain) {
  TestTrace test;
  for (std::int64_t at : {0, 100, 200}) test.Annotation("ProfilerStep#0", at, 90);
  test.Annotation("ProfilerStep#0", 210, 20);  // the same once more, inside
  EXPECT_EQ(HostWindowsOf(test.Finish()), (HostWindows{{0, 0, 100}, {1, 100, 200}, {2, 200, 290}}));
}

TEST(Steps, NumbersAtTheirEnd) {
  TestTrace test;
  test.Annotation("ProfilerStep#9223372036854775807", 0, 90);
  test.Annotation("ProfilerStep#-9223372036854775807", 100, 90);
  EXPECT_EQ(test.Finish().steps.size(), 2u);
}

TEST(Steps, MarksPartitionTheTime) {
  TestTrace test;
  test.Annotation("ProfilerStep#5", 100, 90);
  test.Annotation("ProfilerStep#6", 200, 95);
  test.Annotation("ProfilerStep#7", 300, 80);
  test.Op("after", 500, 10);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(HostWindowsOf(trace), (HostWindows{{5, 100, 200}, {6, 200, 300}, {7, 300, 380}}));
  EXPECT_EQ(trace.StepAt(99), -1);
  EXPECT_EQ(trace.StepAt(100), 0);
  EXPECT_EQ(trace.StepAt(199), 0);
  EXPECT_EQ(trace.StepAt(200), 1);
  EXPECT_EQ(trace.StepAt(379), 2);
  EXPECT_EQ(trace.StepAt(380), -1);
}

TEST(Steps, TheLastEndsWithItsLastWork) {
  TestTrace test;
  test.Annotation("ProfilerStep#1", 0, 90);
  test.Annotation("ProfilerStep#2", 100, 90);
  test.Call("cudaLaunchKernel", 50, 1, 1);
  test.Call("cudaLaunchKernel", 189, 1, 2);
  test.Call("cudaLaunchKernel", 190, 1, 3);     // after the mark
  test.Call("cudaLaunchKernel", 150, 1, 4, 2);  // by another thread
  test.Kernel(1000, 10, 1);
  test.Kernel(250, 10, 2);
  test.Kernel(900, 10, 3);
  test.Kernel(300, 10, 4);
  EXPECT_EQ(HostWindowsOf(test.Finish()), (HostWindows{{1, 0, 100}, {2, 100, 310}}));
}

TEST(Steps, OfVeryManyTheFirstAreToldApartAndTheFileSaysSo) {
  TestTrace test;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(kMostSteps) + 3; ++i)
    test.Annotation("ProfilerStep#" + std::to_string(i), 10 * i, 9);
  const RankTrace trace = test.Finish();
  ASSERT_EQ(trace.steps.size(), kMostSteps);
  EXPECT_EQ(trace.steps[kMostSteps - 1].end_ns, 10 * static_cast<std::int64_t>(kMostSteps));
  EXPECT_EQ(trace.finish_ns, 10 * (static_cast<std::int64_t>(kMostSteps) + 2) + 9);
  ASSERT_EQ(trace.meta.quality.size(), 1U);
  EXPECT_EQ(trace.meta.quality[0].code, QualityCode::kTooLarge);
  EXPECT_EQ(trace.meta.quality[0].count, 3);
}

TEST(Steps, TheThreadWithMostMarksCounts) {
  TestTrace test;
  test.Annotation("ProfilerStep#1", 0, 50, 1);
  test.Annotation("ProfilerStep#1", 10, 80, 2);
  test.Annotation("ProfilerStep#2", 110, 80, 2);
  EXPECT_EQ(HostWindowsOf(test.Finish()), (HostWindows{{1, 10, 110}, {2, 110, 190}}));
}

// Old profilers write the mark as an op too, and some nest a second mark of the same number.
TEST(Steps, OneWindowPerNumber) {
  TestTrace test;
  test.Op("ProfilerStep#1", 0, 100);
  test.Annotation("ProfilerStep#1", 2, 90);
  test.Annotation("ProfilerStep#2", 100, 100);
  test.Op("ProfilerStep#2", 100, 100);
  EXPECT_EQ(HostWindowsOf(test.Finish()), (HostWindows{{1, 0, 100}, {2, 100, 200}}));
}

TEST(Steps, OtherKindsAreNoMarks) {
  TestTrace test;
  test.Kernel(0, 10, 0);
  test.Add(EventKind::kDeviceAnnotation, test.Track(Domain::kDeviceAnnotation, 7), "ProfilerStep#3",
           0, 10);
  test.Add(EventKind::kPythonFunction, test.Track(Domain::kHost, 1), "ProfilerStep#4", 0, 10);
  EXPECT_TRUE(test.Finish().steps.empty());
}

TEST(Steps, ShortFirstAndLastOnesAreIncomplete) {
  TestTrace test;
  test.Annotation("ProfilerStep#1", 0, 40);
  test.Annotation("ProfilerStep#2", 50, 100);
  test.Annotation("ProfilerStep#3", 150, 100);
  test.Annotation("ProfilerStep#4", 250, 30);  // short, but inside
  test.Annotation("ProfilerStep#5", 300, 100);
  test.Annotation("ProfilerStep#6", 400, 49);
  EXPECT_EQ(HostWindowsOf(test.Finish()), (HostWindows{{1, 0, 50, false},
                                                       {2, 50, 150},
                                                       {3, 150, 250},
                                                       {4, 250, 300},
                                                       {5, 300, 400},
                                                       {6, 400, 449, false}}));
}

// Where most steps stall, one that does not is no step that was cut off.
TEST(Steps, MostStepsMayStall) {
  TestTrace test;
  std::int64_t begin = 0;
  for (const auto& [number, duration] : std::map<int, std::int64_t>{
           {1, 40}, {2, 100}, {3, 40}, {4, 100}, {5, 100}, {6, 100}, {7, 40}, {8, 100}, {9, 40}}) {
    test.Annotation("ProfilerStep#" + std::to_string(number), begin, duration);
    begin += duration;
  }
  const RankTrace trace = test.Finish();
  for (const Step& step : trace.steps) EXPECT_TRUE(step.complete) << step.number;
}

TEST(Steps, HalfOfTheUsualIsEnough) {
  TestTrace test;
  test.Annotation("ProfilerStep#1", 0, 50);
  test.Annotation("ProfilerStep#2", 100, 100);
  test.Annotation("ProfilerStep#3", 200, 100);
  test.Annotation("ProfilerStep#4", 300, 50);
  EXPECT_EQ(HostWindowsOf(test.Finish()),
            (HostWindows{{1, 0, 100}, {2, 100, 200}, {3, 200, 300}, {4, 300, 350}}));
}

TEST(Steps, AMarkWithoutEndIsIncomplete) {
  TestTrace test;
  test.Annotation("ProfilerStep#1", 0, 90);
  test.Annotation("ProfilerStep#2", 100, kNoDuration);
  EXPECT_EQ(HostWindowsOf(test.Finish()), (HostWindows{{1, 0, 100}, {2, 100, 100, false}}));
}

// forward, backward and optimizer every 1000 ns, jittered by up to 50, with a setup before.
TestTrace Periodic(int steps) {
  TestTrace test;
  test.Op("setup", 0, 10);
  std::mt19937 random(1);
  for (int i = 0; i < steps; ++i) {
    const std::int64_t begin = 1000 + i * 1000 + static_cast<std::int64_t>(random() % 50);
    test.Op("forward", begin, 300);
    test.Op("linear", begin + 10, 100);
    test.Op("linear", begin + 150, 100);
    test.Op("backward", begin + 400, 300);
    test.Op("optimizer", begin + 800, 100);
  }
  return test;
}

// Two stages, each with its own marks: a step begins with the earliest and the last ends with the
// latest.
TEST(Steps, IterationsOfPipelineStages) {
  TestTrace test;
  const auto mark = [&](std::string_view name, std::int64_t ts, std::int64_t tid) {
    test.Add(EventKind::kInstant, test.Track(Domain::kHost, tid), name, ts, kNoDuration);
  };
  mark("iteration begin", 110, 1);
  mark("iteration begin", 100, 2);
  mark("iteration end", 180, 1);
  mark("iteration end", 185, 2);
  mark("iteration begin", 200, 1);
  mark("iteration begin", 203, 2);
  mark("iteration end", 290, 1);
  mark("iteration end", 295, 2);
  EXPECT_EQ(HostWindowsOf(test.Finish()), (HostWindows{{0, 100, 200}, {1, 200, 295}}));
}

TEST(Steps, AnIterationWithoutEndIsIncomplete) {
  TestTrace test;
  const std::uint32_t track = test.Track(Domain::kHost, 1);
  test.Add(EventKind::kInstant, track, "iteration begin", 100, kNoDuration);
  test.Op("work", 120, 30);
  EXPECT_EQ(HostWindowsOf(test.Finish()), (HostWindows{{0, 100, 150, false}}));
}

TEST(Steps, AnIterationThatBeginsBehindAllWorkHasNoLength) {
  TestTrace test;
  test.Op("work", 20, 30);
  test.Add(EventKind::kInstant, test.Track(Domain::kHost, 1), "iteration begin", 100, kNoDuration);
  const RankTrace trace = test.Finish();
  EXPECT_EQ(HostWindowsOf(trace), (HostWindows{{0, 100, 100, false}}));
  EXPECT_EQ(trace.finish_ns, 100);
}

TEST(InferredSteps, PeriodicSequenceOfOps) {
  TestTrace test = Periodic(6);
  const RankTrace trace = test.Finish();
  ASSERT_EQ(trace.steps.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    const Step& step = trace.steps[i];
    EXPECT_EQ(step.number, static_cast<std::int64_t>(i));
    EXPECT_EQ(trace.source[step.mark], 1 + 5 * i) << "each begins with forward";
    EXPECT_EQ(step.begin_ns, trace.ts_ns[step.mark]);
    EXPECT_EQ(step.end_ns, i < 5 ? trace.steps[i + 1].begin_ns : step.begin_ns + 900);
    EXPECT_EQ(step.inferred, 1);
    EXPECT_EQ(step.complete, i < 5 ? 1 : 0);
  }
}

TEST(InferredSteps, TwoPeriodsAreTooFew) {
  TestTrace test = Periodic(2);
  // `linear` alone occurs four times, but its gaps are far from regular.
  EXPECT_TRUE(test.Finish().steps.empty());
}

TEST(InferredSteps, TheThreadThatLaunchesMost) {
  TestTrace test = Periodic(4);
  for (std::int64_t i = 0; i < 30; ++i) test.Op("noise", i * i * 37, 1, 2);
  for (std::int64_t i = 0; i < 4; ++i) {
    test.Call("cudaLaunchKernel", 1100 + i * 1000, 5, i + 1);
    test.Kernel(1200 + i * 1000, 5, i + 1);
  }
  test.Kernel(9000, 50, 4);  // outlives the last op
  const RankTrace trace = test.Finish();
  ASSERT_EQ(trace.steps.size(), 4U);
  EXPECT_EQ(trace.steps[3].end_ns, 9050);
}

// As beside a TPU: nothing ties the thread's period to what the device does.
TEST(InferredSteps, NoneOfAThreadThatLaunchedNoneOfTheWork) {
  TestTrace test = Periodic(6);
  test.Kernel(1200, 500, kNoCorrelation);
  EXPECT_TRUE(test.Finish().steps.empty());
}

TEST(InferredSteps, NoneOnAperiodicOps) {
  TestTrace test;
  std::int64_t at = 0;
  for (int i = 0; i < 40; ++i) {
    at += std::int64_t{1} << (i * 7 % 13);  // gaps from 1 to 4096, in no order
    test.Op("op" + std::to_string(i % 3), at, 1);
  }
  EXPECT_TRUE(test.Finish().steps.empty());
}

TEST(InferredSteps, NoneWhenNamesNeverRepeat) {
  TestTrace test;
  for (int i = 0; i < 50; ++i) test.Op("op" + std::to_string(i), i * 100, 50);
  EXPECT_TRUE(test.Finish().steps.empty());
}

TEST(InferredSteps, ARegularMinorityIsNotTheLoop) {
  TestTrace test;
  for (int i = 0; i < 5; ++i) test.Op("heartbeat", i * 1000, 1);
  for (int i = 0; i < 60; ++i) test.Op("work" + std::to_string(i), 10 + i * i, 1);
  EXPECT_TRUE(test.Finish().steps.empty());
}

TEST(InferredSteps, RegularButOnlyInACorner) {
  TestTrace test;
  for (int i = 0; i < 5; ++i) test.Op("a", i * 10, 1);
  test.Op("end", 10'000, 1);
  EXPECT_TRUE(test.Finish().steps.empty());
}

TEST(InferredSteps, PythonFramesDoNotCount) {
  TestTrace test;
  const std::uint32_t track = test.Track(Domain::kHost, 1);
  for (int i = 0; i < 8; ++i)
    test.Add(EventKind::kPythonFunction, track, "train.py(10): step", i * 100, 90);
  EXPECT_TRUE(test.Finish().steps.empty());
}

TEST(InferredSteps, NothingFromNothing) {
  EXPECT_TRUE(TestTrace().Finish().steps.empty());
  TestTrace device_only;
  for (int i = 0; i < 5; ++i) device_only.Kernel(i * 100, 10, 0);
  EXPECT_TRUE(device_only.Finish().steps.empty());
}

}  // namespace
}  // namespace rankscope
