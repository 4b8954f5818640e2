#include "hta/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hta/trace_for_test.h"

namespace rankscope::hta {
namespace {

using testing::ElementsAre;

std::vector<std::string> NamesOf(const Frame& frame) {
  std::vector<std::string> names;
  for (const Event& event : frame.events) names.emplace_back(frame.NameOf(event));
  return names;
}

const Event& Named(const Frame& frame, std::string_view name) {
  for (const Event& event : frame.events) {
    if (frame.NameOf(event) == name) return event;
  }
  ADD_FAILURE() << "no event " << name;
  return frame.events.front();
}

TEST(Frame, KeepsEventsWithDurationAndCategoryInFileOrder) {
  const RankTrace trace = UsTrace()
                              .Kernel(7, "k", 50, 1)
                              .Op("b", 20, 5)
                              .Op("instant", 3, 0)
                              .WithoutDuration()
                              .Event("Trace", "the profiler's own", 0, 100)
                              .Event("", "nameless category", 0, 1)
                              .Op("a", 10, 0)
                              .Build();
  const Frame frame = LoadFrame(trace);
  EXPECT_THAT(NamesOf(frame), ElementsAre("k", "b", "a"));
  EXPECT_EQ(frame.IndexOf(Named(frame, "a")), 5);
  EXPECT_EQ(frame.CategoryOf(Named(frame, "k")), "kernel");
}

TEST(Frame, RoundsInwardsWhenAnyTimeHasAFraction) {
  const RankTrace trace =
      UsTrace().Op("holds none", 10.2, 0.5).Op("begins whole", 20, 2.5).Op("whole", 30, 4).Build();
  const Frame frame = LoadFrame(trace);
  EXPECT_EQ(Named(frame, "holds none").ts, 11);
  EXPECT_EQ(Named(frame, "holds none").dur, -1) << "from 11 to 10";
  EXPECT_EQ(Named(frame, "begins whole").dur, 2);
  EXPECT_EQ(Named(frame, "whole").dur, 4);
}

TEST(Frame, ADroppedEventWithAFractionCounts) {
  UsTrace trace;
  trace.Op("instant", 1.5, 0).WithoutDuration().Op("op", -3, 2);
  const RankTrace built = trace.Build();
  EXPECT_EQ(LoadFrame(built).events.at(0).ts, -3);
  const RankTrace negative = UsTrace().Op("op", -2.5, 2).Build();
  EXPECT_EQ(LoadFrame(negative).events.at(0).ts, -2) << "up, also below 0";
  EXPECT_EQ(LoadFrame(negative).events.at(0).dur, 1) << "from -2 to -1";
}

// Around the Unix epoch a double holds quarters of a microsecond: 0.1 is 0 there, and not rounded
// up.
TEST(Frame, TimesAreDoublesAsInPython) {
  RankTrace trace = UsTrace().Op("a", 0, 1).Op("b", 0, 1).Build();
  trace.ts_ns[0] = 1'694'039'968'955'744'100;
  trace.ts_ns[1] = 1'694'039'968'955'744'200;
  const Frame frame = LoadFrame(trace);
  EXPECT_EQ(frame.events[0].ts, 1'694'039'968'955'744);
  EXPECT_EQ(frame.events[1].ts, 1'694'039'968'955'745);
}

TEST(Frame, APartnerIsTheLastOfTheOtherSide) {
  const RankTrace trace = UsTrace()
                              .Op("first", 0, 1)                      // 0
                              .Call("cudaGraphLaunch", 5, 10, 2)      // 1
                              .Kernel(7, "k1", 20, 1, 5)              // 2
                              .Kernel(7, "k2", 22, 1, 5)              // 3
                              .Kernel(7, "launched before", 5, 1, 4)  // 4
                              .Call("cudaDeviceSynchronize", 9, 30, 1)
                              .Wait(-1, "Context Sync", 30, 1, 9)  // 6
                              .Kernel(7, "no correlation", 40, 1)
                              .Build();
  const Frame frame = LoadFrame(trace);
  EXPECT_EQ(Named(frame, "first").partner, kNone);
  EXPECT_EQ(Named(frame, "cudaGraphLaunch").partner, 3);
  EXPECT_EQ(Named(frame, "k1").partner, 1);
  EXPECT_EQ(Named(frame, "k2").partner, 1);
  EXPECT_EQ(Named(frame, "launched before").partner, 0);
  EXPECT_EQ(Named(frame, "cudaDeviceSynchronize").partner, 6) << "a device's wait has no stream";
  EXPECT_EQ(Named(frame, "no correlation").partner, kNone);
}

TEST(Frame, TheStreamIsTheArgumentOfAnyEvent) {
  const RankTrace trace = UsTrace()
                              .Op("plain", 0, 1)
                              .Op("triton", 1, 1)
                              .WithIds(0, 1, 1)
                              .Kernel(0, "AMD", 2, 1)
                              .Kernel(3536, "MTIA", 3, 1)
                              .WithIds(101, 17, 3536)
                              .DeviceMark("annotation", 2, 1)
                              .Wait(-1, "Context Sync", 4, 1)
                              .WithIds(4294967295, 0, 0)
                              .Build();
  const Frame frame = LoadFrame(trace);
  EXPECT_FALSE(Named(frame, "plain").on_stream());
  EXPECT_EQ(Named(frame, "triton").stream, 0);
  EXPECT_TRUE(Named(frame, "triton").on_stream());
  EXPECT_TRUE(Named(frame, "AMD").on_stream());
  EXPECT_EQ(Named(frame, "MTIA").stream, 101);
  EXPECT_EQ(IdsOf(frame, Named(frame, "MTIA")).pid, 17);
  EXPECT_EQ(IdsOf(frame, Named(frame, "MTIA")).tid, 3536);
  EXPECT_EQ(IdsOf(frame, Named(frame, "AMD")).tid, 0);
  EXPECT_FALSE(Named(frame, "annotation").on_stream());
  EXPECT_EQ(Named(frame, "Context Sync").stream, 4294967295);
}

TEST(Frame, StepNamesOfAllSidesOnce) {
  const RankTrace trace = UsTrace()
                              .Step(1, 0, 10)
                              .DeviceMark("ProfilerStep#1", 5, 10)
                              .Step(2, 10, 10)
                              .Mark("ProfilerStep#", 0, 1)
                              .Mark("my ProfilerStep#3", 0, 1)
                              .Build();
  EXPECT_THAT(StepNames(LoadFrame(trace)), ElementsAre("ProfilerStep#1", "ProfilerStep#2"));
}

UsTrace TwoStepsFrame() {
  return UsTrace()
      .Op("before", 0, 5)
      .Step(1, 10, 10)
      .Launch(1, 12, 2)
      .Kernel(7, "of step 1", 30, 5, 1)
      .Step(2, 20, 10)
      .Launch(2, 25, 2)
      .Kernel(7, "of step 2", 40, 5, 2)
      .Kernel(7, "nobody's", 1, 1);
}

TEST(FilterFrame, LeavesOutTheLastStepAndWhatItLaunched) {
  const RankTrace trace = TwoStepsFrame().Build();
  const Frame filtered = FilterFrame(LoadFrame(trace), LastStep::kDrop);
  EXPECT_THAT(NamesOf(filtered),
              ElementsAre("of step 1", "before", "ProfilerStep#1", "cudaLaunchKernel",
                          // Without a correlation it is on the host's side, though on a stream.
                          "nobody's"));
  const Frame all = FilterFrame(LoadFrame(trace), LastStep::kKeep);
  EXPECT_EQ(all.events.size(), 8U);
  EXPECT_EQ(all.NameOf(all.events[1]), "of step 2") << "device work first";
}

TEST(FilterFrame, AKernelComesAsOftenAsItsCorrelationOnTheHost) {
  const RankTrace trace = TwoStepsFrame().Call("another", 1, 15, 1).Build();
  const Frame filtered = FilterFrame(LoadFrame(trace), LastStep::kDrop);
  EXPECT_EQ(filtered.NameOf(filtered.events[0]), "of step 1");
  EXPECT_EQ(filtered.NameOf(filtered.events[1]), "of step 1");
}

TEST(FilterFrame, WithoutAStepNothingIsLeft) {
  const RankTrace trace = UsTrace().Launch(1, 12, 2).Kernel(7, "k", 30, 5, 1).Build();
  EXPECT_TRUE(FilterFrame(LoadFrame(trace), LastStep::kDrop).events.empty());
  const RankTrace device_only = UsTrace().Kernel(7, "k", 30, 5, 1).Build();
  EXPECT_EQ(FilterFrame(LoadFrame(device_only), LastStep::kDrop).events.size(), 1U);
}

TEST(FilterFrame, MtiaKeepsWhatLiesInTheSteps) {
  const auto build = [](UsTrace trace) {
    return trace.Op("before", 0, 5)
        .Step(1, 10, 10)
        .Step(2, 20, 10)
        .Op("inside", 21, 2)
        .Op("sticks out", 25, 10)
        .Event("mtia_runtime", "runFunction - job_prep_and_submit_for_execution", 22, 1, 1)
        .Event("mtia_ccp_events", "launched", 50, 5, 1)
        .WithIds(101, 17, 9)
        .Event("mtia_ccp_events", "not launched", 50, 5, 2)
        .WithIds(101, 17, 9)
        .Event("mtia_ccp_events", "dma_request", 26, 2)
        .WithIds(-1, 17, 9)
        .Event("mtia_ccp_events", "dma_late", 31, 2)
        .Build();
  };
  for (const RankTrace& trace :
       {build(UsTrace()), build(UsTrace().OfBackend("cpu:gloo,mtia:hccl"))}) {
    const Frame filtered = FilterFrame(LoadFrame(trace), LastStep::kDrop);
    EXPECT_THAT(NamesOf(filtered), ElementsAre("ProfilerStep#1", "ProfilerStep#2", "inside",
                                               "runFunction - job_prep_and_submit_for_execution",
                                               "launched", "dma_request"));
    EXPECT_EQ(Named(filtered, "dma_request").stream, 9) << "its tid";
  }
}

}  // namespace
}  // namespace rankscope::hta
