// Slack: by hand, against the critical path, and against replays with single nodes that take
// longer.
#include "replay/scenario/slack.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/units_for_test.h"
#include "replay/job_graph/graph_for_test.h"
#include "replay/scenario/job_path.h"

namespace rankscope {
namespace {

std::vector<std::int64_t> RecordedSlack(const JobGraph& graph) {
  const Scenario recorded(graph);
  return SlackOf(graph, recorded, Replay(recorded));
}

// "compute 0, op 150, ...": of the nodes of a rank, in us; "-" where none is known.
std::string SlackText(const JobGraph& graph, std::uint32_t rank) {
  const std::vector<std::int64_t> slack = RecordedSlack(graph);
  std::string text;
  for (NodeId node = 0; node < slack.size(); ++node) {
    if (graph.RankOf(node) != rank) continue;
    const std::string ns =
        slack[node] == kNoSlackKnown ? "-" : fmt::format("{}", slack[node] / kUs);
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ToString(graph.KindOf(node).work), ns);
  }
  return text;
}

// An op of 10 us launches work on three streams: on 7 from 10 to 90, on 8 from 10 to 45 and, after
// a gap, from 50 to 60, on 9 from 10 to 30.
TEST(Slack, OfStreamsAndLaunches) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 100 * kUs).Kind(Work::kOp);
  const auto host = nodes.Add(1, kBase, 10 * kUs);
  const auto late = nodes.Add(1, kBase + 10 * kUs, 10 * kUs);  // launches nothing
  nodes.Kind(Work::kCompute);
  const auto longest = nodes.Add(7, kBase + 10 * kUs, 80 * kUs);
  nodes.Add(8, kBase + 10 * kUs, 35 * kUs);
  const auto second = nodes.Add(8, kBase + 50 * kUs, 10 * kUs);
  const auto aside = nodes.Add(9, kBase + 10 * kUs, 20 * kUs);
  nodes.Edge(host, longest).Edge(host, longest + 1).Edge(host, aside);
  JobForTest traces;
  traces.Add(0, TraceForTest().Kernel(7, "a", 0, 9).Build(kBase));
  EXPECT_EQ(late + 1, longest);
  EXPECT_EQ(second + 1, aside);
  const auto graph = GraphOfTables(traces, {nodes.Tables()}).value();
  // The step ends at 90: stream 8 could end 30 later, stream 9 60. Nothing waits for the second op.
  EXPECT_EQ(SlackText(*graph, 0), "op 0, op -, compute 0, compute 30, compute 30, compute 60");
}

// As in job_path_test.cc: rank 1 comes 200 us later to the all-reduce.
RankTrace SyncedRankSlack(std::int64_t gemm_us, std::int64_t base = kBase) {
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

TEST(Slack, OfTheRankThatWaits) {
  JobForTest traces;
  traces.Add(0, SyncedRankSlack(300)).Add(1, SyncedRankSlack(500));
  const JobContext job = WithReplay(traces);
  const JobGraph& graph = GraphOf(job);
  const std::vector<std::int64_t> slack = RecordedSlack(graph);
  for (NodeId node = 0; node < slack.size(); ++node) {
    if (graph.KindOf(node).work != Work::kCompute) continue;
    EXPECT_EQ(slack[node], graph.RankOf(node) == 0 ? 200 * kUs : 0) << node;
  }
}

// The ends of all counted steps.
std::vector<std::int64_t> Ends(const JobGraph& graph, const Scenario& scenario) {
  const Replay replay(scenario);
  std::vector<std::int64_t> ends;
  for (const std::size_t step : CountedSteps(graph)) ends.push_back(replay.StepEnd(step));
  return ends;
}

// Whatever takes how long: the path has no slack, a node that takes its slack longer lets no step
// end later, and one that takes a microsecond more than that does.
TEST(Slack, IsWhatANodeCanTakeLonger) {
  JobForTest traces;
  traces.Add(0, SyncedRankSlack(300))
      .Add(1, SyncedRankSlack(500))
      .Add(2, SyncedRankSlack(10, kBase + 77));
  const JobContext job = WithReplay(traces);
  const JobGraph& graph = GraphOf(job);
  std::mt19937_64 random(11);
  for (int round = 0; round < 50; ++round) {
    SCOPED_TRACE(round);
    Scenario scenario(graph);
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      if (round > 0 && random() % 3 == 0)
        scenario.SetDuration(node, static_cast<std::int64_t>(random() % 400) * kUs);
    }
    const Replay replay(scenario);
    const std::vector<std::int64_t> slack = SlackOf(graph, scenario, replay);
    for (const JobPathPiece& piece : JobPath(graph, scenario, replay)) {
      if (piece.kind != JobPathPiece::Kind::kWork) continue;
      EXPECT_EQ(slack[piece.node], 0) << piece.node;
    }
    const std::vector<std::int64_t> ends = Ends(graph, scenario);
    for (NodeId node = 0; node < graph.nodes().size(); ++node) {
      Scenario longer = scenario;
      const std::int64_t duration = scenario.DurationOf(node);
      if (slack[node] == kNoSlackKnown) {
        longer.SetDuration(node, duration + 1'000'000 * kUs);
        EXPECT_EQ(Ends(graph, longer), ends) << node;
        continue;
      }
      EXPECT_GE(slack[node], 0);
      longer.SetDuration(node, duration + slack[node]);
      EXPECT_EQ(Ends(graph, longer), ends) << node;
      longer.SetDuration(node, duration + slack[node] + kUs);
      EXPECT_NE(Ends(graph, longer), ends) << node;
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace rankscope
