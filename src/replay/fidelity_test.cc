// When the replay predicts, and when it refuses: every share by hand.
#include "replay/fidelity.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/units_for_test.h"
#include "replay/job_graph/graph_for_test.h"

namespace rankscope {
namespace {

JobForTest RanksFidelity(std::int64_t count) {
  JobForTest job;
  for (std::int64_t rank = 0; rank < count; ++rank)
    job.Add(rank, TraceForTest().Kernel(7, "gemm", 0, 10).Build(kBase));
  return job;
}

// Steps of one kernel each, of these lengths in us, without a pause between them; each takes
// `unexplained` of it before the kernel begins.
std::shared_ptr<const JobGraph> GraphOfSteps(const std::vector<std::int64_t>& lengths,
                                             std::int64_t unexplained = 0) {
  NodesForTest nodes;
  std::int64_t t = kBase;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    nodes.Step(static_cast<std::int64_t>(i), t, t + lengths[i] * kUs);
    t += lengths[i] * kUs;
  }
  nodes.Kind(Work::kCompute, "gemm");
  t = kBase;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    nodes.Add(7, t + unexplained * kUs, (lengths[i] - unexplained) * kUs,
              static_cast<std::int64_t>(i), 1);
    t += lengths[i] * kUs;
  }
  return GraphOfTables(RanksFidelity(1), {nodes.Tables()}).value();
}
Fidelity Of(const JobGraph& graph) {
  const Scenario recorded(graph);
  const Replay replay(recorded);
  const std::size_t ranks = graph.captures().size();
  return FidelityOf(recorded, replay, JobPath(graph, recorded, replay),
                    Places(graph, PeersOf(JobLayout{}, ranks)));
}

// Steps 36.7% off their works and 1.2% apart themselves; 6 and 1.2; 36.7 and 10, which is scatter.
TEST(Fidelity, MistakesWorksWhereAlikeStepsAreFarOff) {
  const auto of = [](std::optional<double> prediction_error, std::optional<double> spread) {
    Fidelity fidelity;
    fidelity.prediction_error = prediction_error;
    fidelity.spread = spread;
    return fidelity.MistakesWorks();
  };
  EXPECT_TRUE(of(0.367, 0.012));
  EXPECT_FALSE(of(0.049, 0.001));
  EXPECT_FALSE(of(0.06, 0.012));
  EXPECT_FALSE(of(0.367, 0.1));
  EXPECT_FALSE(of(std::nullopt, std::nullopt));
}

TEST(Fidelity, OfEqualSteps) {
  const Fidelity fidelity = Of(*GraphOfSteps({200, 200, 200}));
  EXPECT_EQ(fidelity.steps, 3U);
  EXPECT_EQ(fidelity.step_ns, 200 * kUs);
  EXPECT_EQ(fidelity.error, 0);
  EXPECT_EQ(fidelity.prediction_error, 0);
  EXPECT_EQ(fidelity.spread, 0);
  EXPECT_EQ(fidelity.unexplained, 0);
  EXPECT_EQ(fidelity.refused, "");
  EXPECT_EQ(fidelity.Confidence(), 1);
}

// 100, 110 and 120: the medians of the others are 115, 110 and 105, off by 15, 0 and 15 of 330.
// Replayed with the others' medians, each comes out as that, so both are the same.
TEST(Fidelity, SpreadAndPredictionError) {
  const Fidelity fidelity = Of(*GraphOfSteps({100, 110, 120}));
  EXPECT_DOUBLE_EQ(fidelity.spread.value(), 30.0 / 330);
  EXPECT_DOUBLE_EQ(fidelity.prediction_error.value(), 30.0 / 330);
  EXPECT_EQ(fidelity.refused, "");  // no worse than the steps themselves
  EXPECT_DOUBLE_EQ(fidelity.Confidence(), 1 - 30.0 / 330);
}

// An event of one step, three times as long as ever, is no error of the replay.
TEST(Fidelity, SingleEventsAreNotPredicted) {
  const Fidelity fidelity = Of(*GraphOfSteps({100, 100, 300, 100}));
  EXPECT_EQ(fidelity.prediction_error, 0);
  EXPECT_DOUBLE_EQ(fidelity.spread.value(), 200.0 / 600);
}

TEST(Fidelity, OneStepPredictsNothing) {
  const Fidelity fidelity = Of(*GraphOfSteps({100}));
  EXPECT_EQ(fidelity.steps, 1U);
  EXPECT_FALSE(fidelity.prediction_error.has_value());
  EXPECT_FALSE(fidelity.spread.has_value());
  EXPECT_EQ(fidelity.refused, "");
  EXPECT_EQ(fidelity.Confidence(), 0.5);
}

// 40 of each 200 us before the kernel are more than a kernel gap, and nothing explains them.
TEST(Fidelity, RefusesWhatNothingExplains) {
  const Fidelity fidelity = Of(*GraphOfSteps({200, 200, 200}, 40));
  EXPECT_DOUBLE_EQ(fidelity.unexplained, 0.2);
  EXPECT_EQ(fidelity.refused, "nothing recorded explains 20.0% of the critical path");
  EXPECT_EQ(fidelity.Confidence(), 0.3);
  // 31 of 400 us are less than a tenth.
  const Fidelity less = Of(*GraphOfSteps({400, 400, 400}, 31));
  EXPECT_DOUBLE_EQ(less.unexplained, 31.0 / 400);
  EXPECT_EQ(less.refused, "");
  EXPECT_DOUBLE_EQ(less.Confidence(), 1 - 2 * 31.0 / 400);
}

// The recorded step ends 60 us behind the last work: of 200 us each, 30 % in three steps.
TEST(Fidelity, RefusesWhatItCannotReplay) {
  NodesForTest nodes;
  for (std::int64_t i = 0; i < 2; ++i)
    nodes.Step(i, kBase + 200 * i * kUs, kBase + 200 * (i + 1) * kUs);
  nodes.Kind(Work::kCompute);
  nodes.Add(7, kBase, 140 * kUs, 0);
  nodes.Add(7, kBase + 140 * kUs, 240 * kUs, 1);
  const auto graph = GraphOfTables(RanksFidelity(1), {nodes.Tables()}).value();
  // Replayed they end at 140 and 380: 140 and 240 for 200 and 200.
  const Fidelity fidelity = Of(*graph);
  EXPECT_DOUBLE_EQ(fidelity.error, 0.25);
  EXPECT_EQ(fidelity.refused, "replaying the recorded steps is 25.0% off");
}

TEST(Fidelity, RefusesWithoutOneClock) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase + 100 * kUs).Kind(Work::kCompute);
  nodes.Add(7, kBase, 100 * kUs, 0);
  const auto graph = GraphOfTables(RanksFidelity(2), {nodes.Tables(), nodes.Tables()}).value();
  EXPECT_FALSE(graph->is_aligned());
  EXPECT_EQ(Of(*graph).refused, "the clocks of the ranks are not known to each other");
}

TEST(Fidelity, RefusesWithoutSteps) {
  NodesForTest nodes;
  nodes.Kind(Work::kCompute);
  nodes.Add(7, kBase, 100, std::nullopt);
  EXPECT_EQ(Of(*GraphOfTables(RanksFidelity(1), {nodes.Tables()}).value()).refused,
            "no step was recorded of which a replay could tell the time");
  EXPECT_EQ(Of(*GraphOfTables(RanksFidelity(1), {}).value()).steps, 0U);
}

TEST(Fidelity, RefusesStepsWithoutTime) {
  NodesForTest nodes;
  nodes.Step(0, kBase, kBase).Kind(Work::kCompute);
  nodes.Add(7, kBase, 0, 0);
  EXPECT_NE(Of(*GraphOfTables(RanksFidelity(1), {nodes.Tables()}).value()).refused, "");
}

}  // namespace
}  // namespace rankscope
