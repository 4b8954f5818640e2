#include "facts/device_time.h"

#include <gtest/gtest.h>

#include <random>

#include "facts/trace_facts.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

const IntervalSet& Idle(const DeviceTime& device, IdleCause cause) {
  return device.idle[static_cast<int>(cause)];
}

std::int64_t TotalIdle(const DeviceTime& device) {
  std::int64_t total = 0;
  for (const IntervalSet& set : device.idle) total += Total(set);
  return total;
}

TEST(DeviceTime, ClassesOverlapWithPrecedence) {
  // compute [0,100) and [150,200); communication [50,180); copy [90,260)
  const RankTrace trace = TraceForTest()
                              .Kernel(7, "gemm", 0, 100)
                              .Kernel(7, "gemm", 150, 50)
                              .Kernel(20, "ncclDevKernel_AllReduce", 50, 130)
                              .Copy(21, 1024, 90, 170)
                              .Build();
  const TraceFacts facts(trace);
  const auto& devices = facts.devices();
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices[0].compute, (IntervalSet{{0, 100}, {150, 200}}));
  EXPECT_EQ(devices[0].communication, (IntervalSet{{50, 180}}));
  EXPECT_EQ(devices[0].exposed_communication, (IntervalSet{{100, 150}}));
  EXPECT_EQ(devices[0].exposed_copy, (IntervalSet{{200, 260}}));
  EXPECT_EQ(TotalIdle(devices[0]), 0);
}

TEST(DeviceTime, HostBoundThenLaunchLatency) {
  // The device ends at 100; the next launch runs [300, 310) and its kernel begins at 325.
  const RankTrace trace = TraceForTest()
                              .Launch(1, 0, 5)
                              .Kernel(7, "a", 10, 90, 1)
                              .Launch(2, 300, 10)
                              .Kernel(7, "b", 325, 75, 2)
                              .Build();
  const TraceFacts facts(trace);
  const auto& device = facts.devices().at(0);
  EXPECT_EQ(Idle(device, IdleCause::kHostBound), (IntervalSet{{100, 300}}));
  // The first gap [0, 10) begins with the launch of its kernel.
  EXPECT_EQ(Idle(device, IdleCause::kLaunchLatency), (IntervalSet{{0, 10}, {300, 325}}));
  EXPECT_EQ(TotalIdle(device), 10 + 200 + 25);
}

TEST(DeviceTime, SyncThatDrainedTheQueue) {
  // The host waits in [20, 110) for the kernel that ends at 100, and launches the next only at 150:
  // 10 ns are the call's return, then the host is late. A call inside the call changes nothing.
  const RankTrace trace = TraceForTest()
                              .Launch(1, 0, 5)
                              .Kernel(7, "a", 5, 95, 1)
                              .Host(1, EventKind::kRuntime, "cudaStreamSynchronize", 20, 90)
                              .Host(1, EventKind::kRuntime, "cuStreamSynchronize", 30, 5)
                              .Launch(2, 150, 10)
                              .Kernel(7, "b", 170, 30, 2)
                              .Build();
  const TraceFacts facts(trace);
  const auto& device = facts.devices().at(0);
  EXPECT_EQ(Idle(device, IdleCause::kSync), (IntervalSet{{100, 110}}));
  EXPECT_EQ(Idle(device, IdleCause::kLaunchLatency), (IntervalSet{{0, 5}, {150, 170}}));
  EXPECT_EQ(Idle(device, IdleCause::kHostBound), (IntervalSet{{110, 150}}));
}

TEST(DeviceTime, AFreeWaitsForTheDevice) {
  // cudaFree in [20, 140) lets the queue run dry at 100; cudaFreeAsync would not have waited.
  const auto idle = [](std::string_view call, IdleCause cause) {
    const RankTrace trace = TraceForTest()
                                .Launch(1, 0, 5)
                                .Kernel(7, "a", 5, 95, 1)
                                .Host(1, EventKind::kRuntime, call, 20, 120)
                                .Launch(2, 150, 10)
                                .Kernel(7, "b", 170, 30, 2)
                                .Build();
    const TraceFacts facts(trace);
    return Idle(facts.devices().at(0), cause);
  };
  EXPECT_EQ(idle("cudaFree", IdleCause::kSync), (IntervalSet{{100, 140}}));
  EXPECT_EQ(idle("cudaFree", IdleCause::kHostBound), (IntervalSet{{140, 150}}));
  EXPECT_EQ(idle("cudaFreeAsync", IdleCause::kHostBound), (IntervalSet{{100, 150}}));
}

TEST(DeviceTime, BlockingCopyIsASync) {
  // cudaMemcpyAsync to pageable memory returns at 112, after its copy ended at 110.
  const RankTrace trace = TraceForTest()
                              .Host(1, EventKind::kRuntime, "cudaMemcpyAsync", 0, 112, 1)
                              .Copy(7, 8, 100, 10, 1)
                              .Launch(2, 140, 10)
                              .Kernel(7, "b", 150, 30, 2)
                              .Build();
  const TraceFacts facts(trace);
  const auto& device = facts.devices().at(0);
  EXPECT_EQ(Idle(device, IdleCause::kSync), (IntervalSet{{110, 112}}));
}

TEST(DeviceTime, DataLoadingWinsOverHostAndSync) {
  const RankTrace trace =
      TraceForTest()
          .Launch(1, 0, 5)
          .Kernel(7, "a", 5, 95, 1)
          .Host(1, EventKind::kUserAnnotation,
                "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 120, 60)
          .Launch(2, 200, 10)
          .Kernel(7, "b", 210, 30, 2)
          .Build();
  const TraceFacts facts(trace);
  const auto& device = facts.devices().at(0);
  EXPECT_EQ(Idle(device, IdleCause::kDataLoading), (IntervalSet{{120, 180}}));
  EXPECT_EQ(Idle(device, IdleCause::kHostBound), (IntervalSet{{100, 120}, {180, 200}}));
}

TEST(DeviceTime, OnlyLoadersLoad) {
  EXPECT_TRUE(IsDataLoading(EventKind::kUserAnnotation,
                            "enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"));
  EXPECT_TRUE(
      IsDataLoading(EventKind::kPythonFunction, "torch/utils/data/dataloader.py(630): __next__"));
  EXPECT_FALSE(
      IsDataLoading(EventKind::kPythonFunction, "/home/me/dataloader_bench/train.py(5): main"));
  EXPECT_FALSE(IsDataLoading(EventKind::kRuntime, "dataloader"));
}

TEST(DeviceTime, QueuedWorkShowsGapsAndStreams) {
  // All launched before the first kernel ends: same stream after 5 ns; other stream after 7 ns;
  // then a long, unexplained gap.
  const RankTrace trace = TraceForTest()
                              .Launch(1, 0, 2)
                              .Launch(2, 2, 2)
                              .Launch(3, 4, 2)
                              .Launch(4, 6, 2)
                              .Kernel(7, "a", 10, 90, 1)
                              .Kernel(7, "b", 105, 95, 2)
                              .Kernel(8, "c", 207, 93, 3)
                              .Kernel(8, "d", 300 + kGapLimitNs + 1, 9, 4)
                              .Build();
  const TraceFacts facts(trace);
  const auto& device = facts.devices().at(0);
  EXPECT_EQ(Idle(device, IdleCause::kKernelGap), (IntervalSet{{100, 105}}));
  EXPECT_EQ(Idle(device, IdleCause::kOtherStream), (IntervalSet{{200, 207}}));
  EXPECT_EQ(Idle(device, IdleCause::kUnknown), (IntervalSet{{300, 300 + kGapLimitNs + 1}}));
}

TEST(DeviceTime, LateStartAfterALaunchIsUnknownBeyondTheLimit) {
  // The launch begins at 105 and returns at 115.
  const std::int64_t limit = 115 + kLaunchLimitNs;
  const RankTrace trace = TraceForTest()
                              .Launch(1, 0, 5)
                              .Kernel(7, "a", 5, 100, 1)
                              .Launch(2, 105, 10)
                              .Kernel(7, "b", limit + 50, 5, 2)
                              .Build();
  const TraceFacts facts(trace);
  const auto& device = facts.devices().at(0);
  EXPECT_EQ(Idle(device, IdleCause::kLaunchLatency), (IntervalSet{{0, 5}, {105, limit}}));
  EXPECT_EQ(Idle(device, IdleCause::kUnknown), (IntervalSet{{limit, limit + 50}}));
}

// A copy's call returns when it is over; that it began late is no matter of launching.
TEST(DeviceTime, ACopyThatWaitsForWhatWasNotRecordedIsNotLaunching) {
  const auto idle = [](std::int64_t begin, IdleCause cause) {
    const RankTrace trace = TraceForTest()
                                .Launch(1, 0, 5)
                                .Kernel(7, "a", 5, 95, 1)
                                .Host(1, EventKind::kRuntime, "cudaMemcpyAsync", 110, begin, 2)
                                .Copy(7, 1024, begin, 20, 2)
                                .Build();
    return Idle(TraceFacts(trace).devices().at(0), cause);
  };
  EXPECT_EQ(idle(110 + kLaunchLimitNs, IdleCause::kLaunchLatency),
            (IntervalSet{{0, 5}, {110, 110 + kLaunchLimitNs}}));
  EXPECT_EQ(idle(111 + kLaunchLimitNs, IdleCause::kLaunchLatency), (IntervalSet{{0, 5}}));
  EXPECT_EQ(idle(111 + kLaunchLimitNs, IdleCause::kUnknown),
            (IntervalSet{{110, 111 + kLaunchLimitNs}}));
}

// The kernel of launch 2 has no record: it may be what the copy waits for.
TEST(DeviceTime, ACopyBehindALaunchWithoutARecordIsNotLaunching) {
  const auto launching = [](std::int64_t lost_launch) {
    const RankTrace trace = TraceForTest()
                                .Launch(1, 10, 5)
                                .Kernel(7, "a", 15, 85, 1)
                                .Launch(2, lost_launch, 5)
                                .Host(1, EventKind::kRuntime, "cudaMemcpyAsync", 110, 50, 3)
                                .Copy(7, 1024, 130, 20, 3)
                                .Build();
    return Idle(TraceFacts(trace).devices().at(0), IdleCause::kLaunchLatency);
  };
  EXPECT_EQ(launching(100), (IntervalSet{{10, 15}}));
  // Before the work that ended last was launched.
  EXPECT_EQ(launching(2), (IntervalSet{{10, 15}, {110, 130}}));
}

TEST(DeviceTime, AFirstCopyThatBeginsLateWasNotObserved) {
  const RankTrace trace =
      TraceForTest()
          .Host(1, EventKind::kRuntime, "cudaMemcpy", 10, kLaunchLimitNs + 100, 1)
          .Copy(7, 1024, kLaunchLimitNs + 50, 5, 1)
          .Build();
  EXPECT_EQ(TraceFacts(trace).devices().at(0).not_observed,
            (IntervalSet{{10, kLaunchLimitNs + 50}}));
}

TEST(DeviceTime, ALateFirstBeginWasNotObserved) {
  const RankTrace trace =
      TraceForTest().Launch(1, 0, 10).Kernel(7, "a", 10 + kLaunchLimitNs + 50, 5, 1).Build();
  const TraceFacts facts(trace);
  const auto& device = facts.devices().at(0);
  EXPECT_EQ(device.not_observed, (IntervalSet{{10, 10 + kLaunchLimitNs + 50}}));
  EXPECT_EQ(Idle(device, IdleCause::kLaunchLatency), (IntervalSet{{0, 10}}));
  EXPECT_EQ(TotalIdle(device), 10);
}

TEST(DeviceTime, WorkWithoutALaunchIsUnknown) {
  const RankTrace trace = TraceForTest().Kernel(7, "a", 0, 10).Kernel(7, "b", 30, 10).Build();
  const TraceFacts facts(trace);
  EXPECT_EQ(Idle(facts.devices().at(0), IdleCause::kUnknown), (IntervalSet{{10, 30}}));
}

TEST(DeviceTime, TheEndIsTheHostsAsLongAsItRuns) {
  const RankTrace trace = TraceForTest()
                              .Launch(1, 0, 5)
                              .Kernel(7, "a", 5, 10, 1)
                              .Host(1, EventKind::kCpuOp, "aten::add", 0, 50)
                              .Build();
  const TraceFacts facts(trace);
  EXPECT_EQ(Idle(facts.devices().at(0), IdleCause::kHostBound), (IntervalSet{{15, 50}}));
}

TEST(DeviceTime, DevicesAreApart) {
  const RankTrace trace = TraceForTest()
                              .Kernel(7, "a", 0, 10, kNoCorrelation, 0)
                              .Kernel(7, "a", 5, 10, kNoCorrelation, 3)
                              .Build();
  const TraceFacts facts(trace);
  const auto& devices = facts.devices();
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[1].device, 3);
  EXPECT_EQ(devices[1].compute, (IntervalSet{{5, 15}}));
}

// Whatever the events are, busy and idle parts are disjoint and cover the recording.
TEST(DeviceTime, PartsCoverTheRecordingOnRandomTraces) {
  std::mt19937 random(11);
  const auto below = [&](std::int64_t limit) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(limit));
  };
  for (int round = 0; round < 300; ++round) {
    TraceForTest events;
    const char* names[] = {"gemm", "ncclDevKernel_AllReduce", "relu"};
    for (std::int64_t i = 1; i <= 30; ++i) {
      const std::int64_t at = below(100'000);
      if (below(4) != 0) events.Launch(i, at, below(500), 1 + below(2));
      if (below(5) == 0) {
        events.Copy(7 + below(3), 64, at + below(60'000), below(3000), i);
      } else {
        events.Kernel(7 + below(3), names[below(3)], at + below(60'000), below(3000), i);
      }
      if (below(6) == 0)
        events.Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", below(100'000), below(9000));
      if (below(6) == 0)
        events.Host(1, EventKind::kCpuOp, "enumerate(DataLoader)", below(100'000), below(9000));
    }
    const RankTrace trace = events.Build();
    const TraceFacts facts(trace);
    for (const DeviceTime& device : facts.devices()) {
      std::int64_t sum =
          Total(device.compute) + Total(device.exposed_communication) + Total(device.exposed_copy);
      IntervalSet all = Unite(Unite(device.compute, device.communication), device.copy);
      for (const IntervalSet& idle : device.idle) {
        sum += Total(idle);
        all = Unite(all, idle);
      }
      sum += Total(device.not_observed);
      all = Unite(all, device.not_observed);
      ASSERT_EQ(all, (IntervalSet{{trace.begin_ns, trace.finish_ns}}));
      ASSERT_EQ(sum, trace.finish_ns - trace.begin_ns);
    }
  }
}

}  // namespace
}  // namespace rankscope
