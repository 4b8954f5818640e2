// What if: durations, gaps, edges and overlaps changed, by hand.
#include "replay/scenario/scenario.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "replay/job_graph/graph_for_test.h"

namespace rankscope {
namespace {

// A job of one rank that gives captures and clocks.
JobForTest OneRank() {
  JobForTest job;
  job.Add(0, TraceForTest().Kernel(7, "gemm", 0, 10).Build(kBase));
  return job;
}
std::shared_ptr<const JobGraph> GraphOf(const NodesForTest& nodes) {
  return GraphOfTables(OneRank(), {nodes.Tables()}).value();
}
std::string TimesScenario(const Scenario& scenario) {
  const Replay replay(scenario);
  std::string text;
  for (NodeId node = 0; node < scenario.graph().nodes().size(); ++node)
    text += fmt::format("{}-{} ", replay.BeginOf(node), replay.EndOf(node));
  return text;
}

// Four works of one stream, one behind the other.
NodesForTest RowScenario() {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 100).Kind(Work::kCompute);
  nodes.Add(7, kBase, 10);
  nodes.Add(7, kBase + 12, 20);
  nodes.Add(7, kBase + 32, 30);
  nodes.Add(7, kBase + 65, 10);
  return nodes;
}

TEST(Scenario, StartsAsTheRecording) {
  const auto graph = GraphOf(RowScenario());
  const Scenario scenario(*graph);
  EXPECT_EQ(TimesScenario(scenario), "0-10 12-32 32-62 65-75 ");
  EXPECT_EQ(scenario.GapOf(1), 2);
  EXPECT_EQ(scenario.DurationOf(2), 30);
  EXPECT_FALSE(graph->Waits(0));
  EXPECT_TRUE(graph->Waits(1));
}

TEST(Scenario, DurationsAndGaps) {
  const auto graph = GraphOf(RowScenario());
  Scenario scenario(*graph);
  scenario.SetDuration(1, 5);
  scenario.SetGap(3, 0);
  EXPECT_EQ(TimesScenario(scenario), "0-10 12-17 17-47 47-57 ");
  scenario.SetDuration(1, -5);
  EXPECT_EQ(scenario.DurationOf(1), 0);
}

// What follows an overlapped work follows the work before it, but not earlier than that begins.
TEST(Scenario, Overlap) {
  const auto graph = GraphOf(RowScenario());
  Scenario one(*graph);
  one.Overlap(1);
  EXPECT_EQ(TimesScenario(one), "0-10 12-32 12-42 45-55 ");
  Scenario two(*graph);
  two.Overlap(1);
  two.Overlap(2);
  EXPECT_EQ(TimesScenario(two), "0-10 12-32 12-42 15-25 ");
}

TEST(Scenario, CutsEdges) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 100).Kind(Work::kCompute);
  const auto first = nodes.Add(7, kBase, 10);
  const auto other = nodes.Add(8, kBase, 40);
  const auto last = nodes.Add(7, kBase + 45, 5);
  nodes.Edge(other, last, 5, DependencyKind::kEventWait);
  const auto graph = GraphOf(nodes);
  ASSERT_EQ(graph->edge_count(), 1U);
  Scenario scenario(*graph);
  EXPECT_EQ(TimesScenario(scenario), "0-10 0-40 45-50 ");
  scenario.SetDuration(static_cast<NodeId>(other), 2);
  EXPECT_EQ(TimesScenario(scenario), "0-10 0-2 10-15 ");
  scenario.Cut(0);
  scenario.SetDuration(static_cast<NodeId>(first), 3);
  EXPECT_EQ(TimesScenario(scenario), "0-3 0-2 3-8 ");
}

TEST(Scenario, ApplyTakesWhatTheOtherChanges) {
  const auto graph = GraphOf(RowScenario());
  Scenario other(*graph);
  other.SetDuration(1, 5);
  other.SetGap(3, 1);
  other.Overlap(2);
  Scenario scenario(*graph);
  scenario.SetDuration(0, 7);
  scenario.Apply(other);
  EXPECT_EQ(TimesScenario(scenario), "0-7 9-14 14-44 15-25 ");
  // Nothing that is as recorded in the other comes back.
  scenario.Apply(Scenario(*graph));
  EXPECT_EQ(TimesScenario(scenario), "0-7 9-14 14-44 15-25 ");
}

// Two causes of one work's time: without both it takes no longer than without either.
TEST(Scenario, ApplyTakesTheShorterOfTwo) {
  const auto graph = GraphOf(RowScenario());
  Scenario first(*graph), second(*graph);
  first.SetDuration(1, 15);
  first.SetDuration(2, 10);
  second.SetDuration(1, 5);
  second.SetDuration(2, 20);
  Scenario both(*graph);
  both.Apply(first);
  both.Apply(second);
  EXPECT_EQ(both.DurationOf(1), 5);
  EXPECT_EQ(both.DurationOf(2), 10);
}

// Less work, and faster: both count.
TEST(Scenario, FactorsMultiplyWithWhatElseIsOtherwise) {
  const auto graph = GraphOf(RowScenario());
  Scenario faster(*graph), less(*graph);
  faster.SetDuration(1, 10);
  less.Scale(1, 0.5F);
  less.Scale(2, 0.5F);
  EXPECT_EQ(less.DurationOf(1), graph->nodes()[1].duration_ns / 2);
  for (const bool is_faster_first : {true, false}) {
    Scenario both(*graph);
    both.Apply(is_faster_first ? faster : less);
    both.Apply(is_faster_first ? less : faster);
    EXPECT_EQ(both.DurationOf(1), 5);
    EXPECT_EQ(both.DurationOf(2), graph->nodes()[2].duration_ns / 2);
    both.Apply(Scenario(*graph));
    EXPECT_EQ(both.DurationOf(1), 5);
  }
}

// What is kept of changes follows their number: the same as if every node had its values.
TEST(Scenario, ManyChangesAreThoseOfEachNode) {
  constexpr NodeId kNodes = 100;
  NodesForTest row;
  row.Step(0, kBase, kBase + 10'000).Kind(Work::kCompute);
  for (NodeId i = 0; i < kNodes; ++i) row.Add(7, kBase + 20 * i, 10);
  const auto graph = GraphOf(row);
  struct Values {
    std::int64_t duration = 10;
    std::int64_t gap = 10;
    double factor = 1;
  };
  std::mt19937 random(1);
  const auto below = [&](std::uint32_t limit) {
    return static_cast<std::uint32_t>(random() % limit);
  };
  for (int round = 0; round < 20; ++round) {
    std::array<Scenario, 2> scenarios = {Scenario(*graph), Scenario(*graph)};
    std::array<std::vector<Values>, 2> values;
    for (std::size_t which = 0; which < 2; ++which) {
      values[which].resize(kNodes);
      values[which][0].gap = 0;
      for (std::uint32_t i = below(40); i > 0; --i) {
        const NodeId node = below(kNodes);
        Values& of_node = values[which][node];
        switch (below(4)) {
          case 0:
            of_node.duration = below(30);
            scenarios[which].SetDuration(node, of_node.duration);
            break;
          case 1:
            of_node.gap = below(30);
            scenarios[which].SetGap(node, of_node.gap);
            break;
          case 2:
            of_node.factor *= 0.5;
            scenarios[which].Scale(node, 0.5F);
            break;
          default:
            of_node.duration = 10;
            of_node.gap = node == 0 ? 0 : 10;
            scenarios[which].SetDuration(node, of_node.duration);
            scenarios[which].SetGap(node, of_node.gap);
        }
      }
    }
    scenarios[0].Apply(scenarios[1]);
    for (NodeId node = 0; node < kNodes; ++node) {
      const Values& mine = values[0][node];
      const Values& other = values[1][node];
      const auto both = [](std::int64_t a, std::int64_t b, std::int64_t recorded) {
        return a == recorded ? b : b == recorded ? a : std::min(a, b);
      };
      const auto duration = static_cast<double>(both(mine.duration, other.duration, 10));
      EXPECT_EQ(scenarios[0].DurationOf(node),
                static_cast<std::int64_t>(duration * mine.factor * other.factor));
      EXPECT_EQ(scenarios[0].GapOf(node), both(mine.gap, other.gap, node == 0 ? 0 : 10));
      EXPECT_EQ(scenarios[1].GapOf(node), other.gap);
    }
  }
}

// Layers that move to another stage make its work longer: that must not get lost.
TEST(Scenario, ApplyToTheRecordingGivesTheOther) {
  const auto graph = GraphOf(RowScenario());
  Scenario other(*graph);
  other.SetDuration(1, 50);
  other.SetGap(2, 7);
  Scenario scenario(*graph);
  scenario.Apply(other);
  EXPECT_EQ(TimesScenario(scenario), TimesScenario(other));
  EXPECT_EQ(TimesScenario(scenario), "0-10 12-62 69-99 102-112 ");
}

// Steps of one rank: 0-30 is not whole, 30-70 and 70-130 are, the fourth has no window.
NodesForTest Steps() {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 30, false)
      .Step(1, kBase + 30, kBase + 70)
      .Step(2, kBase + 70, kBase + 130)
      .Step(3, kBase + 130, kBase + 130)
      .Kind(Work::kCompute);
  nodes.Add(7, kBase, 30, 0);
  nodes.Add(7, kBase + 30, 40, 1);
  nodes.Add(7, kBase + 70, 60, 2);
  return nodes;
}

TEST(Replay, TimesOfSteps) {
  const auto graph = GraphOf(Steps());
  EXPECT_EQ(CountedSteps(*graph), (std::vector<std::size_t>{1, 2}));
  const Replay now{Scenario(*graph)};
  EXPECT_EQ(now.StepTime(1), 40);
  EXPECT_EQ(now.StepTime(2), 60);
  EXPECT_EQ(now.MeanStep(), 50);
  EXPECT_EQ(now.LastOf(2), 2U);
  EXPECT_EQ(now.LastOf(3), kNoNode);
  Scenario shorter(*graph);
  shorter.SetDuration(0, 10);  // its step does not count, and the others only move
  shorter.SetDuration(2, 20);
  EXPECT_EQ(Replay(shorter).MeanStep(), 30);
}

TEST(Replay, AllStepsCountWhenNoneIsWhole) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 30, false)
      .Step(1, kBase + 30, kBase + 70, false)
      .Kind(Work::kCompute);
  nodes.Add(7, kBase, 30, 0);
  nodes.Add(7, kBase + 30, 40, 1);
  const auto graph = GraphOf(nodes);
  EXPECT_EQ(Replay{Scenario(*graph)}.MeanStep(), 35);
}

// Work of step 1 on another stream is over before step 0 is: it takes no time of its own.
TEST(Replay, AStepInTheShadowOfAnotherTakesNoTime) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 30).Step(1, kBase + 30, kBase + 40).Kind(Work::kCompute);
  nodes.Add(7, kBase, 30, 0);
  nodes.Add(8, kBase + 5, 35, 1);
  const auto graph = GraphOf(nodes);
  EXPECT_EQ(Replay{Scenario(*graph)}.StepTime(1), 10);
  Scenario shorter(*graph);
  shorter.SetDuration(1, 10);
  EXPECT_EQ(Replay(shorter).StepTime(1), 0);
}

TEST(Replay, WithoutSteps) {
  NodesForTest nodes;
  nodes.Kind(Work::kCompute);
  nodes.Add(7, kBase, 30, std::nullopt);
  const auto graph = GraphOf(nodes);
  EXPECT_EQ(Replay{Scenario(*graph)}.MeanStep(), 0);
  EXPECT_EQ(graph->StepOf(0), kNoStep);
}

}  // namespace
}  // namespace rankscope
