// hta.critical_path_* on traces small enough to check by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hta/analyses.h"
#include "hta/trace_for_test.h"
#include "table/write_csv.h"

namespace rankscope::hta {
namespace {

const Options kEverywhere = {{"annotation", ""}};

Table EdgesOf(const UsTrace& trace, const Options& options = kEverywhere) {
  return JobForTest().Add(0, trace.Build()).Run(CriticalPathEdges(), options);
}

// One line per edge: "2s>2e operator 40 of 2 *", where * is the critical path.
std::string Edges(const UsTrace& trace, const Options& options = kEverywhere) {
  const Table table = EdgesOf(trace, options);
  const auto node = [&](std::size_t row, std::size_t column) {
    if (table.IsNull(row, column)) return std::string("join");
    return std::to_string(table.Int(row, column)) + table.String(row, column + 1).front();
  };
  std::string text;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const std::string_view type = table.String(row, 5);
    text += node(row, 1) + ">" + node(row, 3) + " " +
            std::string(type.substr(std::string_view("critical_path_").size())) + " " +
            std::to_string(table.Int(row, 6));
    if (!table.IsNull(row, 7)) text += " of " + std::to_string(table.Int(row, 7));
    text += table.Bool(row, 10) ? " *\n" : "\n";
  }
  return text;
}

// "bound_by duration", line by line.
std::string Summary(const UsTrace& trace, const Options& options = kEverywhere) {
  const Table table = JobForTest().Add(0, trace.Build()).Run(CriticalPathSummary(), options);
  std::string text;
  for (std::size_t row = 0; row < table.row_count(); ++row)
    text += std::string(table.String(row, 1)) + " " + std::to_string(table.Int(row, 2)) + "\n";
  return text;
}

UsTrace OneLaunch(double op_duration = 20) {
  return UsTrace()
      .Op("aten::mm", 0, op_duration)
      .Launch(1, 5, 5)
      .Kernel(7, "void gemm<float>(float*)", 30, 40, 1);
}

TEST(CriticalPath, GoesThroughTheLaunchWhereTheStreamWasIdle) {
  EXPECT_EQ(Edges(OneLaunch()),
            "1s>1e operator 5 of 1\n"
            "0s>1s operator 5 of 0 *\n"
            "1e>0e operator 10 of 0\n"
            "2s>2e operator 40 of 2 *\n"
            "1s>2s kernel_launch_delay 25 *\n");
  const Table summary =
      JobForTest().Add(3, OneLaunch().Build()).Run(CriticalPathSummary(), kEverywhere);
  std::string csv = WriteCsv(summary);
  std::erase(csv, '\r');
  EXPECT_EQ(csv,
            "rank,bound_by,duration_us,pct\n"
            "3,cpu_bound,5,7.142857142857142\n"
            "3,gpu_compute_bound,40,57.14285714285714\n"
            "3,gpu_kernel_launch_overhead,25,35.714285714285715\n");
}

TEST(CriticalPath, WorkBehindOtherWorkComesAfterItsLaunchWhereThatIsWanted) {
  const UsTrace trace = OneLaunch(60).Launch(2, 40, 2).Kernel(7, "ncclKernel_AllReduce", 75, 10, 2);
  const std::string edges =
      Edges(trace, {{"annotation", ""}, {"add_zero_weight_launch_edges", "true"}});
  EXPECT_NE(edges.find("\n3s>4s kernel_launch_delay 0\n"), std::string::npos) << edges;
  EXPECT_EQ(Edges(trace).find("3s>4s"), std::string::npos);
}

TEST(CriticalPath, HasItsNodesInTheOrderOfTime) {
  const Table table =
      JobForTest().Add(3, OneLaunch().Build()).Run(CriticalPathNodes(), kEverywhere);
  std::string csv = WriteCsv(table);
  std::erase(csv, '\r');
  EXPECT_EQ(csv,
            "rank,node,event,point,ts,is_blocking\n"
            "3,0,0,start,0,false\n3,1,1,start,5,false\n3,2,1,end,10,false\n"
            "3,3,0,end,20,false\n3,4,2,start,30,false\n3,5,2,end,70,false\n");
}

TEST(CriticalPath, GoesThroughTheWorkBeforeOnTheStream) {
  // Launched when the stream is busy.
  const auto second = [](double ts) {
    return OneLaunch(60).Launch(2, 40, 2).Kernel(7, "ncclKernel_AllReduce", ts, 10, 2);
  };
  EXPECT_EQ(Edges(second(75)),
            "1s>1e operator 5 of 1\n"
            "3s>3e operator 2 of 3\n"
            "0s>1s operator 5 of 0 *\n"
            "1e>3s operator 30 of 0\n"
            "3e>0e operator 18 of 0\n"
            "2s>2e operator 40 of 2 *\n"
            "1s>2s kernel_launch_delay 25 *\n"
            "4s>4e operator 10 of 4 *\n"
            "2e>4s kernel_kernel_delay 5 of 2 *\n");
  EXPECT_EQ(Summary(second(75)),
            "cpu_bound 5\ngpu_communication_bound 10\ngpu_compute_bound 40\n"
            "gpu_kernel_kernel_overhead 5\ngpu_kernel_launch_overhead 25\n");
  EXPECT_EQ(Summary(second(70 + 1499)),
            "cpu_bound 5\ngpu_communication_bound 10\ngpu_compute_bound 40\n"
            "gpu_kernel_kernel_overhead 1499\ngpu_kernel_launch_overhead 25\n");
  EXPECT_EQ(Summary(second(70 + 1500)),
            "cpu_bound 5\ngpu_compute_bound 40\ngpu_kernel_launch_overhead 25\n")
      << "no edge over a gap of 1500";
}

TEST(CriticalPath, HasNoLaunchDelayWhereMoreIsQueued) {
  // Two launches before the first of their kernels begins.
  EXPECT_EQ(Summary(OneLaunch(60).Launch(2, 12, 2).Kernel(7, "gemm", 75, 100, 2)),
            "gpu_compute_bound 140\ngpu_kernel_kernel_overhead 5\n");
}

TEST(CriticalPath, OpsOfAThreadFollowOneAnother) {
  const UsTrace trace = OneLaunch().Op("aten::add", 100, 60).Mark("loss", 90, 70);
  // The end of the first op is at 20 of its time, and then comes all of the second.
  EXPECT_EQ(Summary(trace), " 0\ncpu_bound 80\n");
  EXPECT_THAT(Edges(trace), testing::HasSubstr("0e>3s dependency 0 *\n3s>3e operator 60 of 3 *\n"));
}

TEST(CriticalPath, TimeBetweenOpsIsThatOfWhatEnclosesThem) {
  const UsTrace trace =
      OneLaunch(100).Mark("loss", 15, 60).Op("aten::add", 20, 10).Op("aten::sub", 40, 10);
  EXPECT_EQ(Edges(trace),
            "1s>1e operator 5 of 1 *\n"
            "0s>1s operator 5 of 0 *\n"
            "1e>4s operator 10 of 0 *\n"
            "4s>4e operator 10 of 4 *\n"
            "4e>5s operator 10 of 3 *\n"
            "5s>5e operator 10 of 5 *\n"
            "5e>0e operator 50 of 0 *\n"
            "2s>2e operator 40 of 2\n"
            "1s>2s kernel_launch_delay 25\n");
}

TEST(CriticalPath, AWaitForAStreamTakesTheTimeOfItsWork) {
  const UsTrace trace =
      OneLaunch(120).Call("cudaStreamSynchronize", 9, 15, 85).Wait(7, "Stream Sync", 15, 80, 9);
  EXPECT_EQ(Edges(trace),
            "1s>1e operator 5 of 1\n"
            "0s>1s operator 5 of 0 *\n"
            "1e>3s operator 5 of 0\n"
            "3s>3e operator 0 of 3\n"
            "3e>0e operator 20 of 0 *\n"
            "2s>2e operator 40 of 2 *\n"
            "1s>2s kernel_launch_delay 25 *\n"
            "2e>3e sync_dependency 0 *\n");
  EXPECT_EQ(Summary(trace),
            " 0\ncpu_bound 25\ngpu_compute_bound 40\ngpu_kernel_launch_overhead 25\n");
}

TEST(CriticalPath, AWaitForTheDeviceIsForEveryStream) {
  const UsTrace trace = OneLaunch(120)
                            .Launch(2, 11, 1)
                            .Kernel(9, "relu", 20, 70, 2)
                            .Call("cudaDeviceSynchronize", 9, 15, 85)
                            .Wait(-1, "Context Sync", 15, 80, 9);
  EXPECT_THAT(Edges(trace),
              testing::HasSubstr("4e>5e sync_dependency 0 *\n2e>5e sync_dependency 0\n"))
      << "in the order in which the streams begin to work";
  EXPECT_EQ(Summary(trace),
            " 0\ncpu_bound 31\ngpu_compute_bound 70\ngpu_kernel_launch_overhead 9\n");
}

// Stream 7 works from 30 to 70; stream 8 waits for it by an event that is recorded at `record`.
UsTrace EventWait(double record, std::int64_t waiting_stream = 8) {
  return OneLaunch(120)
      .Call("cudaEventRecord", 2, record, 1)
      .Call("cudaStreamWaitEvent", 3, 14, 1)
      .Wait(waiting_stream, "Stream Wait Event", 70, 1, 3)
      .For(2, 7)
      .Launch(4, 16, 2)
      .Kernel(waiting_stream, "relu", 72, 100, 4);
}

TEST(CriticalPath, AWaitForAnEventDelaysTheNextWorkOfItsStream) {
  EXPECT_THAT(Edges(EventWait(12)), testing::EndsWith("2s>2e operator 40 of 2 *\n"
                                                      "1s>2s kernel_launch_delay 25 *\n"
                                                      "7s>7e operator 100 of 7 *\n"
                                                      "2e>7s sync_dependency 0 *\n"));
  EXPECT_EQ(Summary(EventWait(12)),
            " 0\ncpu_bound 5\ngpu_compute_bound 140\ngpu_kernel_launch_overhead 25\n");
  EXPECT_THAT(Edges(EventWait(4)), testing::EndsWith("7s>7e operator 100 of 7 *\n"
                                                     "6s>7s kernel_launch_delay 56 *\n"))
      << "nothing was launched before the record";
  EXPECT_EQ(Edges(EventWait(12, 7)), "") << "HTA refuses work that waits for its own stream";
}

TEST(CriticalPath, AWaitOfTheHostForAnEventEndsAfterItsWork) {
  const UsTrace trace = OneLaunch(120)
                            .Call("cudaEventRecord", 2, 11, 1)
                            .Launch(4, 35, 1)
                            .Kernel(7, "later", 70, 5, 4)
                            .Call("cudaEventSynchronize", 3, 40, 60)
                            .Wait(-1, "Event Sync", 40, 35, 3)
                            .For(2, 7);
  EXPECT_THAT(Edges(trace), testing::HasSubstr("2e>6e sync_dependency 0 *\n"));
  EXPECT_EQ(Summary(trace),
            " 0\ncpu_bound 25\ngpu_compute_bound 40\ngpu_kernel_launch_overhead 25\n");
}

TEST(CriticalPath, ThreadsWaitForTheLockOfTheRuntime) {
  const auto other_thread = [](UsTrace trace, double ts, double dur) {
    return trace.Call("cudaHostAlloc", -1, ts, dur).WithIds(-1, 1, 2);
  };
  // Open together: both starts lead to the end that comes first, and from there to the other end.
  EXPECT_EQ(Edges(other_thread(OneLaunch(), 2, 10)),
            "1s>1e operator 5 of 1\n"
            "3s>1e dependency 0\n"
            "1e>3e dependency 0\n"
            "0s>1s operator 5 of 0 *\n"
            "1e>0e operator 10 of 0\n"
            "2s>2e operator 40 of 2 *\n"
            "1s>2s kernel_launch_delay 25 *\n");
  EXPECT_THAT(Edges(other_thread(OneLaunch(), 6, 2)), testing::StartsWith("3s>3e operator 2 of 3\n"
                                                                          "1s>3e dependency 0\n"
                                                                          "3e>1e dependency 0\n"))
      << "whose own start then has no edge to it";
}

TEST(CriticalPath, ACopyThatTakesTheLockIsHostTime) {
  // Other calls that wait leave their time to the device.
  EXPECT_EQ(Summary(OneLaunch().Call("cudaMemcpyAsync", -1, 100, 900)), " 0\ncpu_bound 920\n");
  EXPECT_EQ(Summary(OneLaunch().Call("cudaMemcpy", -1, 100, 900)),
            "cpu_bound 5\ngpu_compute_bound 40\ngpu_kernel_launch_overhead 25\n");
}

TEST(CriticalPath, StreamsOfTwoDevicesWithOneNumberAreOne) {
  const UsTrace trace =
      OneLaunch(60).Launch(2, 40, 2).Kernel(7, "other device", 75, 10, 2).WithIds(7, 1, 7);
  EXPECT_THAT(Edges(trace), testing::EndsWith("2e>4s kernel_kernel_delay 5 of 2 *\n"));
}

TEST(CriticalPath, ForwardAndBackwardAreOneThread) {
  const auto trace = [](std::string_view forward) {
    return OneLaunch().Op(forward, 25, 5).Op("autograd::engine", 100, 50).WithIds(-1, 1, 2);
  };
  EXPECT_THAT(Edges(trace("forward")), testing::HasSubstr("3e>4s dependency 0 *\n"));
  EXPECT_THAT(Edges(trace("something")), testing::Not(testing::HasSubstr("3e>4s")));
}

TEST(CriticalPath, AnEndClosesTheInnermostEvent) {
  // From 100 to 160 and from 110 to 170: the second is taken to end first, at its own 170.
  const UsTrace trace = OneLaunch().Op("a", 100, 60).Op("b", 110, 60);
  EXPECT_THAT(Edges(trace), testing::HasSubstr("3s>4s operator 10 of 3 *\n"
                                               "4s>4e operator 60 of 4 *\n"
                                               "4e>3e operator -10 of 3\n"));
}

TEST(CriticalPath, LooksIntoTheWantedInstancesOfTheAnnotation) {
  const auto step = [](UsTrace& trace, int number, double ts) -> UsTrace& {
    return trace.Step(number, ts, 50)
        .Op("aten::mm", ts + 1, 20)
        .Launch(number, ts + 5, 5)
        .Kernel(7, "gemm", ts + 60, 10 * number, number);
  };
  UsTrace trace;
  step(trace.Op("before", 0, 5), 1, 10);
  step(trace, 2, 100);
  step(trace, 3, 200);
  // The last step is left out, as everywhere in HTA.
  const auto of = [&](const char* instance) { return Summary(trace, {{"instance_id", instance}}); };
  EXPECT_EQ(of("0"), "cpu_bound 4\ngpu_compute_bound 10\ngpu_kernel_launch_overhead 55\n");
  EXPECT_EQ(of("1"), "cpu_bound 4\ngpu_compute_bound 20\ngpu_kernel_launch_overhead 55\n");
  EXPECT_EQ(of("(0, 1)"),
            " 0\ncpu_bound 24\ngpu_compute_bound 20\ngpu_kernel_launch_overhead 55\n");
  EXPECT_EQ(of("2"), "");
  EXPECT_EQ(Summary(trace, {{"annotation", "no such"}}), "");
}

TEST(CriticalPath, OfOneRank) {
  JobForTest job;
  job.Add(0, OneLaunch().Build()).Add(1, OneLaunch(500).Build());
  EXPECT_EQ(job.Run(CriticalPathSummary(), kEverywhere).row_count(), 3U + 1U);
  const Table one = job.Run(CriticalPathSummary(), {{"annotation", ""}, {"rank", "1"}});
  ASSERT_EQ(one.row_count(), 1U);
  EXPECT_EQ(one.Int(0, 0), 1);
  EXPECT_EQ(one.Int(0, 2), 500);
}

TEST(CriticalPath, IsNothingWhereHtaFails) {
  EXPECT_EQ(Edges(UsTrace().Op("aten::mm", 0, 20)), "") << "nothing is launched";
  EXPECT_EQ(Edges(UsTrace()
                      .Op("aten::mm", 0, 20)
                      .Event("mtia_runtime", "cudaLaunchKernel", 5, 5, 1)
                      .Kernel(7, "gemm", 30, 40, 1)),
            "")
      << "a launch of a category without nodes";
  // The kernel before it begins after it was awaited: the call ends before it begins.
  const UsTrace cycle = OneLaunch(60)
                            .Launch(2, 12, 1)
                            .Kernel(9, "relu", 20, 5, 2)
                            .Call("cudaDeviceSynchronize", 9, 3, 1)
                            .Wait(-1, "Context Sync", 3, 80, 9);
  EXPECT_EQ(Edges(cycle), "") << "a wait that ends before the launch it waits for begins";
}

TEST(CriticalPath, IgnoresWaitsWhoseOtherSideIsMissing) {
  const std::string without = Edges(OneLaunch());
  EXPECT_EQ(Edges(OneLaunch().Wait(7, "Stream Wait Event", 70, 1, 3).For(2, 7)), without);
  EXPECT_EQ(Edges(OneLaunch().Wait(-1, "Event Sync", 70, 1, 3).For(2, 7)), without);
  EXPECT_EQ(Edges(OneLaunch().Wait(7, "Stream Sync", 70, 1, 3)), without);
  EXPECT_EQ(Edges(OneLaunch().Wait(7, "Unknown Sync", 70, 1, 3)), without);
}

// Found by fuzz_damaged_cache: a call of the name of a wait is taken for work on no stream, for
// which there was no room.
TEST(CriticalPath, TakesCallsThatAreNamedLikeWaitsForWork) {
  const UsTrace trace = OneLaunch().Call("Context Sync", 2, 75, 5).Kernel(7, "relu", 90, 5, 2);
  EXPECT_THAT(Edges(trace), testing::HasSubstr("kernel_launch_delay"));
}

TEST(CriticalPath, TakesTheFirstEventForACallThatIsMissing) {
  // HTA's index 0 of "no partner" is that of an event, here of aten::mm.
  EXPECT_THAT(Edges(OneLaunch().Wait(-1, "Context Sync", 70, 1, 3)),
              testing::EndsWith("2e>0e sync_dependency 0\n"));
}

TEST(CriticalPath, OfDeepStacksIsNotRecursive) {
  constexpr int kDepth = 200'000;
  UsTrace trace = OneLaunch(1);
  for (int i = 0; i < kDepth; ++i) trace.Op("nested", 1000 + i, 2 * (kDepth - i));
  EXPECT_EQ(Summary(trace), " 0\ncpu_bound " + std::to_string(6 + 2 * kDepth) + "\n");
  EXPECT_EQ(EdgesOf(trace).row_count(), 5U + 2 * kDepth);
}

TEST(CriticalPath, OfThousandsOfCallsInTheLockIsLinear) {
  constexpr int kCalls = 50'000;
  UsTrace trace = OneLaunch();
  for (int i = 0; i < kCalls; ++i)
    trace.Call("cudaHostAlloc", -1, 100 + i, kCalls).WithIds(-1, 1, 2 + i);
  // Every start and every end but the first has one edge.
  EXPECT_EQ(EdgesOf(trace).row_count(), 5U + 2 * kCalls - 1);
  EXPECT_EQ(Summary(trace), "cpu_bound " + std::to_string(kCalls) + "\n");
}

// Work on `streams` streams, each followed by a wait for all of them.
UsTrace ManyWaits(int streams, int waits) {
  UsTrace trace = UsTrace().Op("event 0", 0, 1);
  for (int i = 0; i < waits; ++i) {
    const double ts = 100.0 * i;
    trace.Launch(2 * i + 1, ts + 1, 1)
        .Kernel(i % streams, "k", ts + 10, 5 + i % 7, 2 * i + 1)
        .Call("cudaDeviceSynchronize", 2 * i + 2, ts + 20, 30)
        .Wait(-1, "Context Sync", ts + 20, 30, 2 * i + 2);
  }
  return trace;
}

TEST(CriticalPath, OfWaitsForManyStreamsSharesJoins) {
  EXPECT_GT(EdgesOf(ManyWaits(64, 300)).row_count(), 300U * 55) << "an edge from every stream";
  // Edges from every stream would be 6 million.
  EXPECT_LT(EdgesOf(ManyWaits(2000, 4000)).row_count(), 4000U * (6 + 2 * 11));
  // Work on a 65th stream, launched by a thread of its own when nothing waits any more, only
  // changes how waits are written.
  const UsTrace direct = ManyWaits(64, 300);
  const UsTrace joined = ManyWaits(64, 300)
                             .Call("cuLaunchKernel", 9999, 50'000, 1)
                             .WithIds(-1, 1, 2)
                             .Kernel(9999, "late", 50'002, 1, 9999);
  EXPECT_THAT(Edges(joined), testing::HasSubstr("join>"));
  EXPECT_THAT(Edges(direct), testing::Not(testing::HasSubstr("join>")));
  EXPECT_EQ(Summary(joined), Summary(direct));
  // 300 times 5, and 0 to 6 in turn.
  EXPECT_THAT(Summary(direct), testing::HasSubstr("gpu_compute_bound 2397\n"));
}

}  // namespace
}  // namespace rankscope::hta
