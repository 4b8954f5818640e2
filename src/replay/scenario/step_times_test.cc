// Steps of several scenarios by one pass, against the replay of each.
#include "replay/scenario/step_times.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "replay/job_graph/graph_for_test.h"

namespace rankscope {
namespace {

// Two ranks with three threads or streams, whose works, lags and edges are drawn.
std::shared_ptr<const JobGraph> DrawnGraph(std::mt19937& random) {
  const auto draw = [&](int limit) { return static_cast<std::int64_t>(random() % limit); };
  std::vector<NodesForTest> ranks(2);
  for (NodesForTest& nodes : ranks) {
    for (std::int64_t step = 0; step < 3; ++step)
      nodes.Step(step, kBase + 1000 * step, kBase + 1000 * (step + 1));
    std::vector<std::int64_t> rows;
    for (std::int64_t step = 0; step < 3; ++step) {
      for (int i = 0; i < 30; ++i) {
        nodes.Kind(draw(2) == 0 ? Work::kCompute : Work::kOp);
        rows.push_back(nodes.Add(draw(3), kBase + 1000 * step + 30 * i, draw(40), step));
        if (rows.size() > 1 && draw(2) == 0) {
          const std::int64_t from = rows[rows.size() - 2 - draw(std::min<int>(9, rows.size() - 1))];
          nodes.Edge(from, rows.back(), draw(5));
        }
      }
    }
  }
  return GraphOfRanks(ranks);
}

Scenario DrawnScenario(const JobGraph& graph, std::mt19937& random) {
  Scenario scenario(graph);
  const auto nodes = static_cast<NodeId>(graph.nodes().size());
  for (int i = 0; i < 20; ++i) {
    scenario.SetDuration(random() % nodes, random() % 60);
    scenario.SetGap(random() % nodes, random() % 9);
    scenario.Scale(random() % nodes, 0.5F);
    if (graph.edge_count() > 0 && random() % 2 == 0) scenario.Cut(random() % graph.edge_count());
  }
  if (random() % 3 == 0) scenario.TakesNoTime(random() % graph.kinds().size());
  if (random() % 3 == 0) {
    for (int i = 0; i < 10; ++i) scenario.Overlap(random() % nodes);
  }
  return scenario;
}

// Of drawn scenarios, fewer and more than a pass takes.
void ExpectTimesOfReplays(const JobGraph& graph, std::mt19937& random) {
  std::vector<Scenario> drawn;
  for (std::size_t i = 0; i < 1 + random() % (2 * kScenariosPerPass); ++i)
    drawn.push_back(DrawnScenario(graph, random));
  std::vector<const Scenario*> scenarios;
  for (const Scenario& scenario : drawn) scenarios.push_back(&scenario);
  const std::vector<StepEnds> steps = StepTimesOf(graph, scenarios);
  ASSERT_EQ(steps.size(), drawn.size());
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    const Replay replay(drawn[i]);
    for (std::size_t step = 0; step < graph.steps().size(); ++step) {
      EXPECT_EQ(steps[i].Time(step), replay.StepTime(step)) << i;
      EXPECT_EQ(steps[i].End(step), replay.StepEnd(step)) << i;
    }
    EXPECT_EQ(steps[i].Mean(), replay.MeanStep());
    EXPECT_EQ(StepTimesOf(drawn[i]).Mean(), replay.MeanStep());
  }
}

TEST(StepTimes, AreThoseOfReplays) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) ExpectTimesOfReplays(*DrawnGraph(random), random);
}

// Three ranks that meet in four collectives.
TEST(StepTimes, AreThoseOfReplaysWhereRanksMeet) {
  JobForTest job;
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    TraceForTest trace;
    for (std::int64_t i = 0; i < 4; ++i) {
      const std::int64_t at = 10'000 * i;
      trace.Kernel(7, "gemm", at, 1000 * (rank + 1))
          .Comm(7, at + 1000 * (rank + 1), 6000 - 1000 * rank,
                {.name = "allreduce", .in = 1000, .out = 1000})
          .Kernel(9, "copy", at + 3000, 500);
    }
    job.Add(rank, trace.Build(kBase));
  }
  const JobContext context = WithReplay(job);
  const JobGraph& graph = GraphOf(context);
  ASSERT_EQ(graph.meetings().size(), 4U);
  std::mt19937 random(8);
  for (int round = 0; round < 20; ++round) ExpectTimesOfReplays(graph, random);
}

// Works of a stream follow each other, so a slot serves all; what nothing waits for shares one.
TEST(StepTimes, KeepEndsThatAreWaitedForAlone) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 1000).Kind(Work::kCompute);
  for (int i = 0; i < 50; ++i) nodes.Add(7, kBase + 20 * i, 10);
  const auto graph = GraphOfRanks({nodes});
  ASSERT_EQ(graph->nodes().size(), 50U);
  EXPECT_EQ(graph->slot_count(), 2U);
}

}  // namespace
}  // namespace rankscope
