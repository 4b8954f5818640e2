// The critical path over all ranks: which work, in which order, and that nothing is counted twice.
#include "replay/scenario/job_path.h"

#include <gtest/gtest.h>

#include <string>

#include "base/units_for_test.h"
#include "replay/job_graph/graph_for_test.h"

namespace rankscope {
namespace {

std::string_view TextJobPath(const JobGraph& graph, const JobPathPiece& piece) {
  switch (piece.kind) {
    case JobPathPiece::Kind::kWork:
      return ToString(graph.KindOf(piece.node).work);
    case JobPathPiece::Kind::kLaunch:
      return "launch";
    case JobPathPiece::Kind::kKernelGap:
      return "gap";
    default:
      return "unexplained";
  }
}

// "0 r1 compute 500 ...": in us, by rank; pieces of one kind and rank in a row are one.
std::string PathOf(const JobGraph& graph) {
  const Scenario recorded(graph);
  std::string text, last;
  for (const JobPathPiece& piece : JobPath(graph, recorded, Replay(recorded))) {
    const std::string what =
        fmt::format("r{} {}", graph.RankOf(piece.node), TextJobPath(graph, piece));
    if (text.empty()) text = fmt::format("{}", piece.begin_ns / kUs);
    if (what == last) {
      text.resize(text.rfind(' '));
    } else {
      text += fmt::format(" {}", what);
    }
    text += fmt::format(" {}", piece.end_ns / kUs);
    last = what;
  }
  return text;
}

// Every instant from the first counted step's begin to the last one's end, once.
void ExpectCoversSteps(const JobGraph& graph, const Scenario& scenario) {
  const Replay replay(scenario);
  const std::vector<std::size_t> counted = CountedSteps(graph);
  const std::vector<JobPathPiece> path = JobPath(graph, scenario, replay);
  if (counted.empty() || replay.LastOf(counted.back()) == kNoNode) {
    EXPECT_TRUE(path.empty());
    return;
  }
  std::int64_t t = replay.StepBegin(counted.front());
  for (const JobPathPiece& piece : path) {
    EXPECT_EQ(piece.begin_ns, t);
    EXPECT_GT(piece.end_ns, piece.begin_ns);
    t = piece.end_ns;
  }
  if (!path.empty()) {
    EXPECT_EQ(t, replay.EndOf(replay.LastOf(counted.back())));
  }
}

// Two steps of 650 us; rank 1 comes 200 us later to the all-reduce, for which the hosts wait.
RankTrace SyncedRankJobPath(std::int64_t gemm_us, std::int64_t base = kBase) {
  TraceForTest trace;
  for (std::int64_t step = 0; step < 2; ++step) {
    const std::int64_t t = 650 * kUs * step;
    const std::int64_t call = 10 * step;
    trace.Step(step, t, 650 * kUs)
        .Launch(call + 1, t + 10 * kUs, 5 * kUs)
        .Kernel(7, "gemm", t + 20 * kUs, gemm_us * kUs, call + 1)
        .Launch(call + 2, t + 20 * kUs, 5 * kUs)
        .Comm(7, t + (20 + gemm_us) * kUs, (600 - gemm_us) * kUs, kReduce)
        .Linked(call + 2)
        .Host(1, EventKind::kRuntime, "cudaDeviceSynchronize", t + 30 * kUs, 595 * kUs, call + 3);
  }
  return trace.Build(base);
}

// Through the all-reduce to rank 1, whose host waited for the step before.
TEST(JobPath, GoesThroughTheLastMember) {
  JobForTest traces;
  traces.Add(0, SyncedRankJobPath(300)).Add(1, SyncedRankJobPath(500));
  const JobContext job = WithReplay(traces);
  const JobGraph& graph = GraphOf(job);
  // Before the first step nothing is known, so that it does not count.
  ASSERT_EQ(CountedSteps(graph), std::vector<std::size_t>{1});
  EXPECT_EQ(PathOf(graph),
            "620 r1 synchronising call 625 r1 python 660 r1 launch 670 r1 compute 1170 "
            "r0 communication 1270");
  ExpectCoversSteps(graph, Scenario(graph));
}

// Of the path the scenario's, not the recording's.
TEST(JobPath, OfAScenario) {
  JobForTest traces;
  traces.Add(0, SyncedRankJobPath(300)).Add(1, SyncedRankJobPath(500));
  const JobContext job = WithReplay(traces);
  const JobGraph& graph = GraphOf(job);
  Scenario scenario(graph);
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.RankOf(node) == 1 && graph.KindOf(node).work == Work::kCompute)
      scenario.SetDuration(node, 100 * kUs);
  }
  ExpectCoversSteps(graph, scenario);
  const Replay replay(scenario);
  for (const JobPathPiece& piece : JobPath(graph, scenario, replay)) {
    const bool computes =
        piece.kind == JobPathPiece::Kind::kWork && graph.KindOf(piece.node).work == Work::kCompute;
    EXPECT_FALSE(computes && graph.RankOf(piece.node) == 1);
  }
}

// Gaps on a device are launches, short pauses, or not explained.
TEST(JobPath, KindsOfGaps) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 500 * kUs).Kind(Work::kOp);
  const auto host = nodes.Add(0, kBase, 10 * kUs);
  nodes.Kind(Work::kCompute);
  const auto first = nodes.Add(7, kBase + 15 * kUs, 20 * kUs);  // 5 behind its launch
  nodes.Add(7, kBase + 65 * kUs, 10 * kUs);                     // 30 behind the last
  nodes.Add(7, kBase + 106 * kUs, 10 * kUs);                    // 31
  nodes.Edge(host, first);
  JobForTest traces;
  traces.Add(0, SyncedRankJobPath(300));
  const auto graph = GraphOfTables(traces, {nodes.Tables()}).value();
  EXPECT_EQ(PathOf(*graph),
            "0 r0 op 10 r0 launch 15 r0 compute 35 r0 gap 65 r0 compute 75 r0 unexplained 106 "
            "r0 compute 116");
}

TEST(JobPath, LaunchesThatTakeTooLongAreNotExplained) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 500 * kUs).Kind(Work::kOp);
  const auto host = nodes.Add(0, kBase, 10 * kUs);
  nodes.Kind(Work::kCompute);
  nodes.Edge(host, nodes.Add(7, kBase + 111 * kUs, 20 * kUs));
  JobForTest traces;
  traces.Add(0, SyncedRankJobPath(300));
  const auto graph = GraphOfTables(traces, {nodes.Tables()}).value();
  EXPECT_EQ(PathOf(*graph), "0 r0 op 10 r0 unexplained 111 r0 compute 131");
}

TEST(JobPath, WithoutStepsIsEmpty) {
  NodesForTest nodes;
  nodes.Kind(Work::kCompute);
  nodes.Add(7, kBase, 30, std::nullopt);
  JobForTest traces;
  traces.Add(0, SyncedRankJobPath(300));
  const auto graph = GraphOfTables(traces, {nodes.Tables()}).value();
  const Scenario recorded(*graph);
  EXPECT_TRUE(JobPath(*graph, recorded, Replay(recorded)).empty());
}

// Any durations: the path has an end, and covers the steps once.
TEST(JobPath, CoversStepsWhateverTakesHowLong) {
  JobForTest traces;
  traces.Add(0, SyncedRankJobPath(300))
      .Add(1, SyncedRankJobPath(500))
      .Add(2, SyncedRankJobPath(10, kBase + 77));
  const JobContext job = WithReplay(traces);
  const JobGraph& graph = GraphOf(job);
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    Scenario scenario(graph);
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (random() % 3 == 0)
        scenario.SetDuration(node, static_cast<std::int64_t>(random() % 400) * kUs);
    }
    ExpectCoversSteps(graph, scenario);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace rankscope
