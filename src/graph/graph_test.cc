// Dependency graphs, critical paths and slacks of traces small enough to check by hand.
#include <fmt/core.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "graph/build_graph.h"
#include "graph/critical_path.h"
#include "graph/path_parts.h"
#include "trace/device_api.h"
#include "trace/trace_for_test.h"

namespace rankscope {
namespace {

std::string_view Text(PathCause cause) {
  switch (cause) {
    case PathCause::kHost:
      return "host";
    case PathCause::kLaunch:
      return "launch";
    case PathCause::kKernelGap:
      return "gap";
    case PathCause::kDevice:
      return "device";
    case PathCause::kUnexplained:
      return "unexplained";
  }
  return "?";
}

DependencyGraph GraphOf(const RankTrace& trace) {
  return BuildGraph(trace, [](Row) { return false; });
}

// "0 host 10 launch 20 device 50": causes between times; parts of one cause and one row are joined.
std::string PathOf(const RankTrace& trace, const DependencyGraph& graph) {
  std::string text;
  std::string_view last;
  for (const PathPart& part : PathParts(trace, graph, CriticalPath(graph))) {
    const std::string_view cause = Text(part.cause);
    if (text.empty()) {
      text = fmt::format("{} {} {}", part.begin_ns, cause, part.end_ns);
    } else if (cause == last && cause == "host") {
      text.resize(text.rfind(' '));
      text += fmt::format(" {}", part.end_ns);
    } else {
      text += fmt::format(" {} {}", cause, part.end_ns);
    }
    last = cause;
  }
  return text;
}
std::string PathOf(const RankTrace& trace) { return PathOf(trace, GraphOf(trace)); }

// The segment that ends with a row's end or, on a host thread, at time t.
SegmentId EndingAt(const DependencyGraph& graph, bool on_device, std::int64_t t) {
  for (SegmentId i = 0; i < graph.segments.size(); ++i) {
    if (graph.segments[i].on_device() == on_device && graph.segments[i].end_ns == t) return i;
  }
  return kNoSegment;
}

TEST(CriticalPath, GoesThroughALaunchAndBackByASynchronisation) {
  TestTrace make;
  make.Op("train", 0, 100);
  make.Call("cudaLaunchKernel", 10, 5, 1);
  make.Kernel(20, 30, 1);
  make.Call("cudaDeviceSynchronize", 30, 22, 2);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  EXPECT_EQ(PathOf(trace, graph), "0 host 10 launch 20 device 50 host 100");
  EXPECT_EQ(graph.launch_lag_ns, 10);
  // The host came to its wait at 30 and waited until 50: so much later it could have come.
  const std::vector<std::int64_t> slack = Slack(graph);
  EXPECT_EQ(slack[EndingAt(graph, false, 10)], 0);
  EXPECT_EQ(slack[EndingAt(graph, false, 30)], 20);
  EXPECT_EQ(slack[EndingAt(graph, true, 50)], 0);
  EXPECT_EQ(slack[EndingAt(graph, false, 100)], 0);
}

TEST(CriticalPath, StaysOnTheHostThatDoesNotWait) {
  TestTrace make;
  make.Op("train", 0, 100);
  make.Call("cudaLaunchKernel", 10, 5, 1);
  make.Kernel(20, 30, 1);
  make.Call("cudaDeviceSynchronize", 60, 5, 2);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  EXPECT_EQ(PathOf(trace, graph), "0 host 100");
  EXPECT_EQ(Slack(graph)[EndingAt(graph, true, 50)], 50);  // nothing waits for it
}

TEST(CriticalPath, EndsWithTheDeviceWhenThatIsLast) {
  TestTrace make;
  make.Op("train", 0, 40);
  make.Call("cudaLaunchKernel", 10, 5, 1);
  make.Call("cudaLaunchKernel", 20, 5, 2);
  make.Kernel(18, 30, 1);
  make.Kernel(50, 50, 2);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  EXPECT_EQ(PathOf(trace, graph), "0 host 10 launch 18 device 48 gap 50 device 100");
  // The second launch was in the queue from 28 on, had an idle stream begun it: 20 + 8.
  EXPECT_EQ(graph.launch_lag_ns, 8);
  EXPECT_EQ(Slack(graph)[EndingAt(graph, false, 20)], 20);
  EXPECT_EQ(graph.end_ns, 100);
}

TEST(CriticalPath, TellsLongGapsAndLateStartsApart) {
  TestTrace make;
  make.Op("train", 0, 30);
  make.Call("cudaLaunchKernel", 10, 10, 1);
  make.Call("cudaLaunchKernel", 20, 10, 2);
  const std::int64_t late = 20 + kLaunchLimitNs + 7;
  make.Kernel(late, 10, 1);
  make.Kernel(late + 10 + kGapLimitNs + 1, 10, 2);
  EXPECT_EQ(
      PathOf(make.Finish()),
      fmt::format("0 host 10 launch {} unexplained {} device {} unexplained {} device {}", late - 7,
                  late, late + 10, late + 10 + kGapLimitNs + 1, late + 20 + kGapLimitNs + 1));
}

TEST(CriticalPath, WorkThatNothingExplainsBeginsWithTheUnexplained) {
  TestTrace make;
  make.Kernel(100, 10, 0);
  make.Kernel(112, 10, 0);
  make.Op("a", 50, 10);
  EXPECT_EQ(PathOf(make.Finish()), "50 unexplained 100 device 110 gap 112 device 122");
}

// A pool's thread beside a TPU: nothing ties it to what the device did.
TEST(CriticalPath, AHostThatLaunchedNoneOfTheWorkIsNotOnIt) {
  TestTrace make;
  make.Kernel(0, 40, 0);
  make.Kernel(42, 40, 0);
  for (std::int64_t i = 0; i < 10; ++i) make.Op("tick", i * 10, 2);
  EXPECT_EQ(PathOf(make.Finish()), "0 device 40 gap 42 device 82");
}

// Stream 8 waits for an event behind the first kernel of stream 7, the host for the device.
TEST(CriticalPath, FollowsEventWaitsThatTheTraceNames) {
  TestTrace make;
  make.Op("train", 0, 400);
  make.Call("cudaLaunchKernel", 10, 5, 1);
  make.Call("cudaEventRecord", 20, 2, 2);
  make.Call("cudaLaunchKernel", 25, 5, 3);
  make.Call("cudaStreamWaitEvent", 32, 2, 4);
  make.Call("cudaLaunchKernel", 40, 5, 5);
  make.Kernel(20, 100, 1);
  make.Kernel(121, 150, 3);
  make.Kernel(123, 200, 5, 8);
  RawRow& wait = make.Wait(34, 1, 4, 2);
  wait.track = make.Track(Domain::kDeviceSync, 8);
  make.batch.syncs.back().wait_on_stream = 7;
  make.Call("cudaDeviceSynchronize", 60, 270, 6);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  EXPECT_EQ(PathOf(trace, graph), "0 host 10 launch 20 device 120 gap 123 device 323 host 400");
  const std::vector<std::int64_t> slack = Slack(graph);
  EXPECT_EQ(slack[EndingAt(graph, true, 271)], 52);  // 323 - 271
  ASSERT_EQ(graph.DependenciesOf(EndingAt(graph, true, 323)).size(), 2U);
  EXPECT_FALSE(BindingPredecessor(graph, EndingAt(graph, true, 323)).inferred);
}

// Stream 8, done since 7, waits for stream 7 and records an event of its own, which stream 9 waits
// for.
TEST(CriticalPath, FollowsEventsOfStreamsThatOnlyWaited) {
  TestTrace make;
  make.Op("train", 0, 400);
  make.Call("cudaLaunchKernel", 2, 1, 8);
  make.Kernel(4, 3, 8, 8);
  make.Call("cudaLaunchKernel", 10, 5, 1);
  make.Call("cudaEventRecord", 20, 2, 2);
  make.Call("cudaStreamWaitEvent", 25, 2, 3);
  make.Call("cudaEventRecord", 30, 2, 4);
  make.Call("cudaStreamWaitEvent", 35, 2, 5);
  make.Call("cudaLaunchKernel", 40, 5, 6);
  make.Kernel(20, 100, 1);
  make.Kernel(123, 200, 6, 9);
  const auto wait = [&](std::int64_t ts, std::int64_t call, std::int64_t record, std::int64_t on,
                        std::int64_t of) {
    make.Wait(ts, 1, call, record).track = make.Track(Domain::kDeviceSync, on);
    make.batch.syncs.back().wait_on_stream = static_cast<std::int32_t>(of);
  };
  wait(26, 3, 2, 8, 7);
  wait(36, 5, 4, 9, 8);
  make.Call("cudaDeviceSynchronize", 60, 270, 7);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  EXPECT_EQ(PathOf(trace, graph), "0 host 10 launch 20 device 120 gap 123 device 323 host 400");
  EXPECT_FALSE(BindingPredecessor(graph, EndingAt(graph, true, 323)).inferred);
}

// The same without CUDA's synchronisation records.
TEST(CriticalPath, FollowsEventWaitsThatTimesImply) {
  TestTrace make;
  make.Op("train", 0, 400);
  make.Call("cudaLaunchKernel", 10, 5, 1);
  make.Call("cudaEventRecord", 20, 2, 2);
  make.Call("cudaStreamWaitEvent", 32, 2, 4);
  make.Call("cudaLaunchKernel", 40, 5, 5);
  make.Kernel(20, 100, 1);
  make.Kernel(123, 200, 5, 8);
  make.Call("cudaStreamSynchronize", 60, 270, 6);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  EXPECT_EQ(PathOf(trace, graph), "0 host 10 launch 20 device 120 gap 123 device 323 host 400");
  EXPECT_TRUE(BindingPredecessor(graph, EndingAt(graph, true, 323)).inferred);
}

// Stream 8 is still busy when the synchronisation returns, so that it waited for stream 7, until
// 4,020; a host of that length ends before or behind the device.
TEST(CriticalPath, AStreamThatIsStillBusyWasNotWaitedFor) {
  const auto path = [](std::int64_t host_ns) {
    TestTrace make;
    make.Op("train", 0, host_ns);
    make.Call("cudaLaunchKernel", 10, 5, 1);
    make.Call("cudaLaunchKernel", 20, 5, 2);
    make.Call("cudaLaunchKernel", 30, 5, 3);
    make.Kernel(20, 4'000, 1, 7);
    make.Kernel(30, 2'000, 2, 8);
    make.Kernel(2'030, 8'000, 3, 8);
    make.Call("cudaStreamSynchronize", 60, 6'000, 6);
    return PathOf(make.Finish());
  };
  EXPECT_EQ(path(9'000), "0 host 20 launch 30 device 2030 device 10030");
  EXPECT_EQ(path(90'000), "0 host 10 launch 20 device 4020 host 90000");
}

// Thread 2 launches while the main thread waits: its burst hangs on what ran before the wait.
TEST(CriticalPath, ALaunchOfAnotherThreadDuringAWaitKeepsItsEdges) {
  TestTrace make;
  make.Op("train", 0, 20'000);
  make.Call("cudaLaunchKernel", 100, 10, 1);
  make.Kernel(110, 9'890, 1, 7);
  make.Call("cudaStreamSynchronize", 5'200, 4'810, 2);
  make.Op("prefetch", 7'000, 100, 2);
  make.Call("cudaLaunchKernel", 7'050, 10, 3, 2);
  make.Kernel(7'060, 7'940, 3, 20);
  make.Call("cudaDeviceSynchronize", 11'000, 4'010, 4);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  EXPECT_EQ(graph.contradicted, 0);
  EXPECT_EQ(PathOf(trace, graph),
            "0 host 5200 unexplained 7000 host 7050 launch 7060 device 15000 host 20000");
}

TEST(CriticalPath, ACallWithoutADurationStillLaunches) {
  TestTrace make;
  make.Op("train", 0, 400);
  make.Call("cudaLaunchKernel", 5, kNoDuration, 1);
  make.Kernel(10, 290, 1);
  make.Call("cudaDeviceSynchronize", 50, 255, 2);
  EXPECT_EQ(PathOf(make.Finish()), "0 host 5 launch 10 device 300 host 400");
}

// 1,200 kernels of one graph are one launch in the queue: the next one does not wait for room.
TEST(CriticalPath, AGraphIsOneEntryOfTheQueue) {
  TestTrace make;
  make.Op("train", 0, 20'000'000);
  make.Call("cudaGraphLaunch", 100, 50, 1);
  for (std::int64_t i = 0; i < 1'200; ++i) make.Kernel(1'000 + i * 5'000, 5'000, 1);
  make.Call("cudaGraphLaunch", 10'000, 500'000, 2);
  make.Kernel(6'100'000, 1'000, 2);
  EXPECT_EQ(PathOf(make.Finish()), "0 host 20000000");
}

TEST(CriticalPath, ACopyToPageableMemoryBlocksItsCall) {
  TestTrace make;
  make.Op("aten::item", 0, 100);
  make.Call("cudaMemcpyAsync", 10, 50, 1);
  RawRow& copy = make.Kernel(15, 40, 1);
  copy.kind = EventKind::kMemcpy;
  copy.name = make.scope.strings.Intern("Memcpy DtoH (Device -> Pageable)");
  EXPECT_EQ(PathOf(make.Finish()), "0 host 10 launch 15 device 55 host 100");
}

TEST(CriticalPath, ACopyToPinnedMemoryDoesNot) {
  TestTrace make;
  make.Op("copy_", 0, 100);
  make.Call("cudaMemcpyAsync", 10, 50, 1);
  RawRow& copy = make.Kernel(15, 40, 1);
  copy.kind = EventKind::kMemcpy;
  copy.name = make.scope.strings.Intern("Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(PathOf(make.Finish()), "0 host 100");
}

TEST(CriticalPath, FreeingDeviceMemoryWaitsForTheDevice) {
  TestTrace make;
  make.Op("empty_cache", 0, 100);
  make.Call("cudaLaunchKernel", 10, 5, 1);
  make.Kernel(20, 30, 1);
  make.Call("cudaFree", 30, 30, 2);
  EXPECT_EQ(PathOf(make.Finish()), "0 host 10 launch 20 device 50 host 100");
}

// backward() on the main thread, seen as a gap: autograd's thread works meanwhile.
TEST(CriticalPath, TheMainThreadWaitsForAutograd) {
  TestTrace make;
  make.OpWithSequence("aten::mm", 0, 20, 1, 7, 0);
  make.OpWithSequence("MmBackward", 30, 40, 2, 7, 1);
  make.Op("aten::add", 75, 3, 2);
  make.Op("step", 85, 15);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  const std::vector<PathPart> parts = PathParts(trace, graph, CriticalPath(graph));
  std::string text;
  for (const PathPart& part : parts)
    text +=
        fmt::format("[{} {} {} {}]", part.begin_ns, part.end_ns, trace.tracks[part.track].second,
                    part.row == kNoRow ? "-" : trace.name_of(part.row));
  EXPECT_EQ(text,
            "[0 20 1 aten::mm][20 30 1 -][30 70 2 MmBackward][70 75 2 -][75 78 2 aten::add]"
            "[78 85 1 -][85 100 1 step]");
}

TEST(CriticalPath, OtherThreadsThatWorkBesideTheMainThreadAreNotOnIt) {
  TestTrace make;
  make.Op("a", 0, 20);
  make.Op("b", 25, 20);
  make.Op("load", 10, 30, 2);
  EXPECT_EQ(PathOf(make.Finish()), "0 host 45");
}

// Two autograd threads, as with two devices: the second begins while the main thread waits.
TEST(CriticalPath, BurstsThatBeginInAWaitBelongToWhatRanBeforeIt) {
  TestTrace make;
  make.Op("forward", 0, 500);
  make.Op("autograd::engine::evaluate_function: A", 520, 100, 2);
  make.Op("autograd::engine::evaluate_function: B", 550, 300, 3);
  make.Op("step", 900, 100);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  EXPECT_EQ(graph.contradicted, 0);
  EXPECT_EQ(PathOf(trace, graph), "0 host 520 unexplained 550 host 1000");
}

TEST(CriticalPath, AnEventIsWaitedForBeforeItsStreamIsDone) {
  TestTrace make;
  make.Op("train", 0, 9'000);
  make.Call("cudaLaunchKernel", 0, 5, 1);
  make.Call("cudaLaunchKernel", 6, 5, 2);
  make.Kernel(10, 3'000, 1);
  make.Kernel(3'010, 8'000, 2);
  make.Call("cudaEventSynchronize", 30, 4'000, 3);
  make.Op("after", 15'000, 5);
  EXPECT_EQ(PathOf(make.Finish()), "0 launch 10 device 3010 host 15005");
}

// Of many streams, the one that was waited for is among the last by number.
TEST(CriticalPath, AnEventOfAnyOfManyStreamsIsFound) {
  TestTrace make;
  make.Op("train", 0, 9'000);
  for (int i = 1; i <= 100; ++i) {
    make.Call("cudaLaunchKernel", 10 * i, 5, i);
    make.Kernel(10 * i + 8, i == 90 ? 3'000 : 100, i, i);
  }
  make.Call("cudaEventSynchronize", 2'000, 1'910, 101);
  make.Op("after", 15'000, 5);
  EXPECT_EQ(PathOf(make.Finish()), "0 host 900 launch 908 device 3908 host 15005");
}

TEST(CriticalPath, StreamOrderedFreesAndCopiesInGraphsDoNotBlock) {
  TestTrace make;
  make.Op("train", 0, 1'000);
  make.Call("cudaLaunchKernel", 0, 5, 1);
  make.Kernel(10, 90, 1);
  make.Call("cudaFreeAsync", 50, 60, 2);
  make.Call("cudaGraphLaunch", 200, 100, 3);
  make.Kernel(220, 20, 3).kind = EventKind::kMemcpy;
  EXPECT_EQ(PathOf(make.Finish()), "0 host 1000");
}

TEST(CriticalPath, ADeviceSynchronisationWaitsForAllStreamsWhateverItsRecords) {
  TestTrace make;
  make.Op("train", 0, 300);
  make.Call("cudaLaunchKernel", 0, 5, 1);
  make.Call("cudaLaunchKernel", 6, 5, 2);
  make.Kernel(10, 20, 1, 7);
  make.Kernel(20, 180, 2, 20);
  make.Call("cudaDeviceSynchronize", 50, 155, 3);
  make.Wait(50, 1, 3, 0);  // a record of stream 7 alone
  EXPECT_EQ(PathOf(make.Finish()), "0 host 6 launch 20 device 200 host 300");
}

TEST(Slack, WorkOfASideThreadBehindTheEndBindsNothing) {
  TestTrace make;
  make.Op("train", 0, 100);
  make.Call("cudaLaunchKernel", 5, 3, 1);
  make.Kernel(10, 20, 1);
  make.Call("cudaStreamSynchronize", 15, 20, 2, 2);
  make.Op("save", 15, 500, 2);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  const std::vector<std::int64_t> slack = Slack(graph);
  EXPECT_EQ(slack[EndingAt(graph, true, 30)], 70);
  EXPECT_EQ(slack[EndingAt(graph, false, 515)], kUnboundedSlack);
}

TEST(CriticalPath, ALaunchIntoAFullQueueWaitsForRoom) {
  TestTrace make;
  make.Op("train", 0, 3'000'000);
  // 1,000 launches before the first kernel begins; each kernel takes 2 us. The next launch blocks
  // until the 500th has ended.
  for (std::int64_t i = 0; i < 1000; ++i) {
    make.Call("cudaLaunchKernel", i * 100, 50, i + 1);
    make.Kernel(200'000 + i * 2'000, 2'000, i + 1);
  }
  make.Call("cudaLaunchKernel", 100'000, 1'100'500, 1001);
  make.Kernel(2'200'000, 10, 1001);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  const SegmentId resumed = graph.last;
  EXPECT_EQ(graph.segments[resumed].begin_ns, 1'200'000);
  const Predecessor before = BindingPredecessor(graph, resumed);
  EXPECT_EQ(before.kind, DependencyKind::kFullQueue);
  EXPECT_EQ(graph.segments[before.segment].end_ns, 1'200'000);
}

TEST(CriticalPath, StreamsOfADeviceShareItsQueue) {
  TestTrace make;
  make.Op("train", 0, 3'000'000);
  for (std::int64_t i = 0; i < 1000; ++i) {
    make.Call("cudaLaunchKernel", i * 100, 50, i + 1);
    make.Kernel(200'000 + i * 2'000, 2'000, i + 1, i % 2 == 0 ? 7 : 20);
  }
  make.Call("cudaLaunchKernel", 100'000, 1'100'500, 1001);
  make.Kernel(2'200'000, 10, 1001);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  const Predecessor before = BindingPredecessor(graph, graph.last);
  EXPECT_EQ(before.kind, DependencyKind::kFullQueue);
  EXPECT_EQ(graph.segments[before.segment].end_ns, 1'200'000);
}

// 600 kernels were launched before the recording began, which fill the queue with 400 more.
TEST(CriticalPath, AQueueMayBeFilledBeforeTheRecording) {
  for (const std::int64_t backlog : {600, 598}) {
    TestTrace make;
    make.Op("train", 0, 3'000'000);
    for (std::int64_t i = 0; i < 1000; ++i) {
      if (i >= backlog && i >= 1000 - 400)
        make.Call("cudaLaunchKernel", (i - 600) * 100 + 10, 50, i + 1);
      if (i < backlog || i >= 600)
        make.Kernel(200'000 + i * 2'000, 2'000, i < backlog ? -1 : i + 1);
    }
    make.Call("cudaLaunchKernel", 100'000, 1'100'500, 1001);
    make.Kernel(2'200'000, 10, 1001);
    const RankTrace trace = make.Finish();
    const DependencyGraph graph = GraphOf(trace);
    const Predecessor before = BindingPredecessor(graph, graph.last);
    EXPECT_EQ(before.kind == DependencyKind::kFullQueue, backlog == 600) << backlog;
  }
}

// Kernels of a graph: one segment for each stream, or more where streams wait for each other.
TEST(Contraction, JoinsWorkOfOneLaunch) {
  TestTrace make;
  make.Call("cudaGraphLaunch", 0, 10, 1);
  for (std::int64_t i = 0; i < 10; ++i) make.Kernel(20 + i * 10, 8, 1);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  const DependencyGraph whole = BuildGraph(
      trace, [](Row) { return false; }, Contraction::kNone);
  EXPECT_EQ(graph.segments.size(), 3U);  // the host before and in the launch, and the device
  EXPECT_EQ(whole.segments.size(), 12U);
  EXPECT_EQ(PathOf(trace, graph), PathOf(trace, whole));
}

TEST(Contraction, BranchesOfAGraphWaitForEachOther) {
  TestTrace make;
  make.Call("cudaGraphLaunch", 0, 10, 1);
  make.Kernel(20, 10, 1, 7);
  make.Kernel(31, 50, 1, 8);
  make.Kernel(32, 10, 1, 7);
  make.Kernel(83, 10, 1, 7);
  EXPECT_EQ(PathOf(make.Finish()), "0 launch 20 device 30 gap 31 device 81 gap 83 device 93");
}

TEST(Rendezvous, TheLastToArriveDecides) {
  // Two ranks: tracks 0 and 1 with a collective each; the second comes late, behind host work.
  DependencyGraph graph;
  graph.segments = {
      {.begin_ns = 0, .end_ns = 10, .track = 0, .first_row = 0, .row_count = 1},
      {.begin_ns = 0, .end_ns = 60, .track = 1, .first_row = 5, .row_count = 1},
      {.begin_ns = 10, .end_ns = 90, .track = 0, .first_row = 1, .row_count = 1, .previous = 0},
      {.begin_ns = 60, .end_ns = 88, .track = 1, .first_row = 6, .row_count = 1, .previous = 1},
  };
  graph.first_dependency.assign(5, 0);
  graph.rendezvous = {{.at_ns = 60, .first_member = 0, .member_count = 2}};
  graph.members = {2, 3};
  graph.end_ns = 90;
  graph.last = 2;
  const std::vector<PathPiece> path = CriticalPath(graph);
  ASSERT_EQ(path.size(), 2U);
  EXPECT_EQ(path[0].segment, 1U);
  EXPECT_EQ(path[0].end_ns, 60);
  EXPECT_EQ(path[1].segment, 2U);  // its transfer; waiting is on nobody's path
  EXPECT_EQ(path[1].begin_ns, 60);
}

TEST(Rendezvous, OneRankHasOneMember) {
  TestTrace make;
  make.Call("cudaLaunchKernel", 0, 5, 1);
  make.Kernel(10, 10, 1);
  make.Kernel(22, 10, 1);
  make.Kernel(33, 10, 1);
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = BuildGraph(trace, [&](Row row) { return trace.ts_ns[row] == 22; });
  ASSERT_EQ(graph.rendezvous.size(), 1U);
  EXPECT_EQ(graph.rendezvous[0].at_ns, 22);
  EXPECT_EQ(graph.segments[graph.members[0]].row_count, 1U);
  EXPECT_EQ(graph.segments[graph.members[0]].begin_ns, 22);
}

TEST(CriticalPath, OfNothing) {
  TestTrace make;
  const RankTrace trace = make.Finish();
  const DependencyGraph graph = GraphOf(trace);
  EXPECT_TRUE(graph.segments.empty());
  EXPECT_TRUE(CriticalPath(graph).empty());
  EXPECT_TRUE(Slack(graph).empty());
}

}  // namespace
}  // namespace rankscope
