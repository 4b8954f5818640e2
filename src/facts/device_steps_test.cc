#include "facts/device_steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "graph/graph.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

DeviceSteps StepsOf(const RankTrace& trace) {
  const TraceFacts facts(trace);
  return facts.recorded_devices().at(0).steps;
}

IntervalSet NotObservedOf(const RankTrace& trace) {
  const TraceFacts facts(trace);
  return facts.devices().at(0).not_observed;
}

std::vector<Interval> WindowsOf(const DeviceSteps& steps) {
  std::vector<Interval> windows;
  for (const DeviceSteps::Span& step : steps.steps) windows.push_back(step.window);
  return windows;
}

std::vector<bool> CompleteOf(const DeviceSteps& steps) {
  std::vector<bool> complete;
  for (const DeviceSteps::Span& step : steps.steps) complete.push_back(step.complete);
  return complete;
}

// Three steps of one kernel of 1000 ns each; the host is through with each after 100 ns, and waits
// for the device at the end.
TraceForTest RunsAhead() {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 3; ++step) {
    trace.Step(step, 100 * step, step == 2 ? 3000 : 100);
    trace.Launch(step + 1, 100 * step + 10, 10);
    trace.Kernel(7, "gemm", 50 + 1000 * step, 1000, step + 1);
  }
  return trace;
}

TEST(DeviceSteps, AHostThatRunsAheadMovesNoWorkIntoOtherSteps) {
  const RankTrace trace = RunsAhead().Build();
  const DeviceSteps steps = StepsOf(trace);
  // The first begins with its mark.
  EXPECT_EQ(WindowsOf(steps), (std::vector<Interval>{{0, 1050}, {1050, 2050}, {2050, 3050}}));
  EXPECT_EQ(steps.step_of_work, (std::vector<std::int32_t>{0, 1, 2}));
  EXPECT_FALSE(steps.follows_host);
}

TEST(DeviceSteps, TheFirstDoesNotCountWhileTheQueueFills) {
  // Lags of 1050, 1950 and 2850 behind the marks: the first differs from both others by far.
  EXPECT_EQ(CompleteOf(StepsOf(RunsAhead().Build())), (std::vector<bool>{false, true, true}));
}

TEST(DeviceSteps, AHostInStepWithItsDeviceHasAllStepsComplete) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = 1000 * step;
    trace.Step(step, at, 1000);
    trace.Launch(step + 1, at + 10, 10);
    trace.Kernel(7, "gemm", at + 50, 940 + step, step + 1);
    trace.Host(1, EventKind::kRuntime, "cudaStreamSynchronize", at + 20, 975);
  }
  const DeviceSteps steps = StepsOf(trace.Build());
  EXPECT_EQ(WindowsOf(steps), (std::vector<Interval>{{0, 990}, {990, 1991}, {1991, 2992}}));
  EXPECT_EQ(CompleteOf(steps), (std::vector<bool>{true, true, true}));
}

// A host that waits for input in every step: what came before the first was not recorded.
TEST(DeviceSteps, AFirstThatBeginsWithItsMarkDoesNotCountWhereLaterOnesBeginBefore) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 3; ++step) {
    const std::int64_t at = 1000 * step;
    trace.Step(step, at, 1000);
    trace.Launch(step + 1, at + 10, 10);
    trace.Kernel(7, "gemm", at + 50, 700, step + 1);
  }
  const DeviceSteps steps = StepsOf(trace.Build());
  EXPECT_EQ(WindowsOf(steps), (std::vector<Interval>{{0, 750}, {750, 1750}, {1750, 2750}}));
  EXPECT_EQ(CompleteOf(steps), (std::vector<bool>{false, true, true}));
}

TEST(DeviceSteps, OnlyCopiesDecideWhereThereAreNoKernels) {
  const auto copy = [](TraceForTest& trace) -> TraceForTest& {
    return trace.Step(0, 0, 100)
        .Step(1, 100, 100)
        .Launch(1, 10, 5)
        .Copy(7, 8, 50, 300, 1)
        .Launch(2, 110, 5)
        .Copy(7, 8, 400, 100, 2);
  };
  TraceForTest copies;
  EXPECT_EQ(WindowsOf(StepsOf(copy(copies).Build())),
            (std::vector<Interval>{{0, 350}, {350, 500}}));
  // With kernels the copies stretch nothing.
  TraceForTest both;
  copy(both).Kernel(8, "k", 20, 10, 1).Kernel(8, "k", 130, 10, 2);
  EXPECT_EQ(WindowsOf(StepsOf(both.Build())), (std::vector<Interval>{{0, 30}, {30, 140}}));
}

TEST(DeviceSteps, WorkThatRunsOnIntoTheStepAfterTheNextStretchesNothing) {
  // A kernel of step 0 still runs when the first kernel of step 2 begins at 220.
  const RankTrace trace = TraceForTest()
                              .Step(0, 0, 100)
                              .Step(1, 100, 100)
                              .Step(2, 200, 100)
                              .Launch(1, 10, 5)
                              .Kernel(7, "k", 20, 60, 1)
                              .Launch(9, 30, 5)
                              .Kernel(8, "persistent", 40, 500, 9)
                              .Launch(2, 110, 5)
                              .Kernel(7, "k", 120, 60, 2)
                              .Launch(3, 210, 5)
                              .Kernel(7, "k", 220, 60, 3)
                              .Build();
  const DeviceSteps steps = StepsOf(trace);
  EXPECT_EQ(WindowsOf(steps), (std::vector<Interval>{{0, 80}, {80, 180}, {180, 280}}));
  EXPECT_EQ(steps.overrunning, 1);
}

TEST(DeviceSteps, AStreamThatRunsAheadCutsNoStepShort) {
  // The host is through with its three steps at 30. What prepares the next batches (stream 9) waits
  // for nothing; the steps' own kernels (stream 7) take 100 each.
  TraceForTest job;
  for (int step = 0; step < 3; ++step) {
    job.Step(step, 10 * step, 10)
        .Launch(10 * step + 1, 10 * step + 1, 1)
        .Kernel(9, "next_batch", 10 * step + 3, 5, 10 * step + 1);
    for (int part = 0; part < 2; ++part) {
      const int launch = 10 * step + 4 + 2 * part;
      job.Launch(launch, launch, 1).Kernel(7, "k", 30 + 100 * step + 50 * part, 50, launch);
    }
  }
  const DeviceSteps steps = StepsOf(job.Build());
  EXPECT_EQ(WindowsOf(steps), (std::vector<Interval>{{0, 130}, {130, 230}, {230, 330}}));
  EXPECT_EQ(steps.overrunning, 0);
}

TEST(DeviceSteps, AStepWithoutWorkHasNoWindow) {
  const RankTrace trace = TraceForTest()
                              .Step(0, 0, 100)
                              .Step(1, 100, 100)
                              .Step(2, 200, 100)
                              .Launch(1, 10, 5)
                              .Kernel(7, "k", 20, 60, 1)
                              .Launch(3, 210, 5)
                              .Kernel(7, "k", 220, 60, 3)
                              .Build();
  const DeviceSteps steps = StepsOf(trace);
  EXPECT_EQ(WindowsOf(steps), (std::vector<Interval>{{0, 80}, {80, 80}, {80, 280}}));
  EXPECT_FALSE(steps.steps[1].complete);
}

TEST(DeviceSteps, WorkWithoutALaunchGoesWithWhatWasBeforeIt) {
  const RankTrace trace = TraceForTest()
                              .Step(0, 0, 100)
                              .Step(1, 100, 100)
                              .Kernel(8, "early", 5, 10)  // before anything is known
                              .Launch(1, 10, 5)
                              .Kernel(7, "k", 20, 60, 1)
                              .Kernel(7, "unlinked", 90, 30)  // its stream is in step 0
                              .Kernel(8, "other", 125, 5)     // so is the device
                              .Launch(2, 110, 5)
                              .Kernel(7, "k", 140, 60, 2)
                              .Kernel(8, "other", 210, 5)  // its stream knows nothing, the device 1
                              .Build();
  const DeviceSteps steps = StepsOf(trace);
  EXPECT_EQ(steps.step_of_work, (std::vector<std::int32_t>{DeviceSteps::kBefore, 0, 0, 0, 1, 1}));
  EXPECT_EQ(WindowsOf(steps), (std::vector<Interval>{{15, 130}, {130, 215}}));
}

TEST(DeviceSteps, WorkOfBeforeTheFirstStepEndsBeforeItsWindow) {
  const RankTrace trace = TraceForTest()
                              .Launch(9, 0, 5)
                              .Kernel(7, "warmup", 10, 150, 9)
                              .Step(0, 50, 100)
                              .Launch(1, 60, 5)
                              .Kernel(7, "k", 170, 60, 1)
                              .Build();
  const DeviceSteps steps = StepsOf(trace);
  EXPECT_EQ(WindowsOf(steps), (std::vector<Interval>{{160, 230}}));
  EXPECT_TRUE(steps.steps[0].complete) << "there is no other";
}

TEST(DeviceSteps, WhatWasNotObservedIsNotPartOfTheFirst) {
  // The first call returned at 20, its kernel begins 500 us later: the device did something else.
  TraceForTest literal;
  for (std::int64_t step = 0; step < 3; ++step) {
    literal.Step(step, 100 * step, step == 2 ? 2'000'000 : 100);
    literal.Launch(step + 1, 100 * step + 10, 10);
    literal.Kernel(7, "k", 500'000 + 1000 * step, 1000, step + 1);
  }
  const RankTrace trace = literal.Build();
  const DeviceSteps steps = StepsOf(trace);
  EXPECT_EQ(WindowsOf(steps),
            (std::vector<Interval>{{500'000, 501'000}, {501'000, 502'000}, {502'000, 503'000}}));
  EXPECT_EQ(CompleteOf(steps), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(NotObservedOf(trace), (IntervalSet{{20, 500'000}}));
}

TEST(DeviceSteps, ALastStepWhoseLaunchesHaveNoWorkIsIncomplete) {
  const auto steps = [](bool recorded) {
    TraceForTest trace;
    for (std::int64_t step = 0; step < 3; ++step) {
      const std::int64_t at = 1000 * step;
      trace.Step(step, at, 1000);
      trace.Launch(2 * step + 1, at + 10, 10);
      trace.Kernel(7, "k", at + 50, 100, 2 * step + 1);
      trace.Launch(2 * step + 2, at + 200, 10);
      if (recorded || step < 2) trace.Kernel(7, "k", at + 250, 740, 2 * step + 2);
    }
    return CompleteOf(StepsOf(trace.Build()));
  };
  EXPECT_EQ(steps(true), (std::vector<bool>{true, true, true}));
  EXPECT_EQ(steps(false), (std::vector<bool>{true, true, false}));
}

TEST(DeviceSteps, BehindTheLastWorkWithLaunchesWaitingNothingWasObserved) {
  TraceForTest literal;
  for (std::int64_t i = 0; i < 20; ++i) {
    literal.Launch(i + 1, 10 * i, 5);
    if (i < 18) literal.Kernel(7, "k", 10 * i + 8, 2, i + 1);
  }
  literal.Host(1, EventKind::kCpuOp, "op", 0, 500);
  // Work ends at 180, the first launch without work begins there.
  EXPECT_EQ(NotObservedOf(literal.Build()), (IntervalSet{{180, 500}}));
  // Where launches without work are usual, they say nothing.
  TraceForTest usual;
  for (std::int64_t i = 0; i < 20; ++i) {
    usual.Launch(i + 1, 10 * i, 5);
    if (i % 2 == 0) usual.Kernel(7, "k", 10 * i + 8, 2, i + 1);
  }
  EXPECT_EQ(NotObservedOf(usual.Build()), IntervalSet());
}

TEST(DeviceSteps, WithoutAnyLaunchTheWindowsAreTheHosts) {
  const RankTrace trace = TraceForTest()
                              .Step(0, 0, 100)
                              .Step(1, 100, 100)
                              .Kernel(7, "k", 20, 60)
                              .Kernel(7, "k", 120, 90)
                              .Build();
  const DeviceSteps steps = StepsOf(trace);
  EXPECT_TRUE(steps.follows_host);
  EXPECT_EQ(WindowsOf(steps), (std::vector<Interval>{{0, 100}, {100, 200}}));
  EXPECT_EQ(steps.step_of_work, (std::vector<std::int32_t>{0, 1}));
}

TEST(DeviceSteps, WithoutStepsThereIsNothingToCut) {
  const RankTrace trace = TraceForTest().Launch(1, 0, 5).Kernel(7, "k", 20, 60, 1).Build();
  const DeviceSteps steps = StepsOf(trace);
  EXPECT_TRUE(steps.steps.empty());
  EXPECT_EQ(steps.step_of_work, (std::vector<std::int32_t>{0}));
}

// Six steps of ten ops and ten kernels, each launched at its op, in a file that ends too early:
// rows of `missing` launches of each step are not there, `ops` ops of the last one are.
RankTrace CutFile(const std::vector<int>& missing, int ops = 10) {
  TraceForTest literal;
  for (std::size_t step = 0; step < missing.size(); ++step) {
    const auto begin = static_cast<std::int64_t>(1000 * step);
    literal.Step(static_cast<std::int64_t>(step), begin, 1000);
    for (int i = 0; i < 10; ++i) {
      const std::int64_t at = begin + 100 * i;
      const bool is_last = step + 1 == missing.size();
      if (!is_last || i < ops) literal.Host(1, EventKind::kCpuOp, "op", at, 50);
      if (i >= 10 - missing[step]) continue;
      const auto call = static_cast<std::int64_t>(100 * step) + i + 1;
      literal.Launch(call, at + 10, 5).Kernel(7, "k", at + 20, 70, call);
    }
  }
  RankTrace trace = literal.Build();
  trace.meta.quality.push_back({.code = QualityCode::kTruncated});
  return trace;
}

std::string CompleteSteps(const RankTrace& trace) {
  std::string complete;
  for (const DeviceSteps::Span& step : StepsOf(trace).steps) complete += step.complete ? "+" : "-";
  return complete;
}

// Kineto writes what devices did behind all ops, in no order of time.
TEST(DeviceSteps, OfAFileThatEndsAmongItsDeviceRows) {
  // The third lacks some, so the fourth begins at an unknown time.
  EXPECT_EQ(CompleteSteps(CutFile({0, 0, 4, 0, 0, 0})), "++--++");
  // Only one has the most: that is no proof that it has all.
  EXPECT_EQ(CompleteSteps(CutFile({1, 3, 4, 5, 3, 2})), "------");
  EXPECT_EQ(CompleteSteps(CutFile({3})), "-");
  // The same of a file that is whole says nothing: steps differ.
  RankTrace whole = CutFile({0, 0, 4, 0, 0, 0});
  whole.meta.quality.clear();
  EXPECT_EQ(CompleteSteps(whole), "++++++");
  // In a file in order of time ops of the last step are missing, too; the others are whole.
  EXPECT_EQ(CompleteSteps(CutFile({0, 0, 4, 0, 0, 6}, 4)).substr(0, 5), "+++++");
}

// Where no step is known to be whole, nothing is said about when the device was idle: the rank is
// one of the host alone, whose steps are whole.
TEST(DeviceSteps, AFileThatEndsBeforeAStepIsWholeHasTheHostsSteps) {
  const RankTrace trace = CutFile({1, 3, 4, 5, 3, 2});
  const TraceFacts facts(trace);
  EXPECT_TRUE(facts.devices().empty());
  EXPECT_TRUE(facts.rank_steps().follows_host);
  EXPECT_EQ(WindowsOf(facts.rank_steps()).at(2), (Interval{2000, 3000}));
  EXPECT_TRUE(facts.rank_steps().steps.at(2).complete);
  for (const Segment& segment : facts.graph().segments) {
    EXPECT_FALSE(segment.on_device());
  }
  // Its rows are there, and the step that launched each.
  const DeviceTime& recorded = facts.recorded_devices().at(0);
  EXPECT_EQ(recorded.work.size(), 42U);
  EXPECT_EQ(facts.launch_steps()[recorded.work.front()], 0);
  for (const IntervalSet& idle : recorded.idle) EXPECT_TRUE(idle.empty());
  EXPECT_EQ(Total(recorded.compute) + Total(recorded.not_observed),
            trace.finish_ns - trace.begin_ns);
}

// Where steps fill the recording, what was launched before the first counts in the first.
TEST(Windows, WorkOfBeforeTheFirstStepCountsInTheFirst) {
  const RankTrace trace = TraceForTest()
                              .Step(0, 0, 100)
                              .Step(1, 100, 100)
                              .Kernel(7, "before", 0, 10)
                              .Launch(1, 20, 5)
                              .Kernel(7, "k", 30, 10, 1)
                              .Launch(2, 120, 5)
                              .Kernel(7, "k", 130, 10, 2)
                              .Build();
  const TraceFacts facts(trace);
  const std::vector<Row>& work = facts.devices().at(0).work;
  const Windows host = Windows::OfHost(facts, std::nullopt);
  EXPECT_EQ(host[host.OfWork(work[0])].step, 0);
  EXPECT_EQ(host[host.OfWork(work[2])].step, 1);
  // The device's leave what lies before C(-1) = 10 and behind C(1) = 140 outside.
  const Windows device = Windows::OfDevice(facts, facts.devices()[0], std::nullopt);
  EXPECT_EQ(device[device.OfWork(work[0])].step, std::nullopt);
}

}  // namespace
}  // namespace rankscope
