// pipeline-stage-imbalance: a stage of a pipeline has more layers than the others.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/rule_input_for_test.h"
#include "insight/rules/pipeline_for_test.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;

// Stage 1 has three layers and stage 0 one: with two in each. Nothing of the work goes away.
TEST(PipelineStageImbalance, AStageWithMoreLayers) {
  const Schedule uneven(8, 1, 3);
  const Schedule even(8, 2, 2);
  ASSERT_EQ(uneven.window, 100 + 8 * 900 + 200);
  ASSERT_EQ(even.window, 5400);
  const ToldOfPipeline told = TellOfPipeline("pipeline-stage-imbalance", uneven);
  EXPECT_EQ(told.ranks, "1");
  EXPECT_THAT(told.title, HasSubstr("stage 1 of the pipeline has more layers than the others"));
  // These traces tell no replay: what that stage has beyond the mean, 8 passes of 300 of its 900.
  EXPECT_NEAR(told.gain_pct, 100.0 * 8 * 300 / (uneven.window + kBetween), 0.5);
  EXPECT_EQ(TellOfPipeline("pipeline-stage-imbalance", even).gain_pct, -1);
}

// Of three layers and one, one changes hands. These traces tell no replay.
TEST(PipelineStageImbalance, LayersAreProposedToMove) {
  EXPECT_THAT(TellOfPipeline("pipeline-stage-imbalance", Schedule(8, 1, 3)).change,
              ::testing::EndsWith(" Proposed: 1 layer of stage 1 to stage 0."));
  // From two and one nothing is won by one and two.
  EXPECT_THAT(TellOfPipeline("pipeline-stage-imbalance", Schedule(8, 1, 2)).change,
              ::testing::StartsWith("No whole layer can move"));
}

// Two layers each, and in the second stage an output layer as long as two more in each of eight
// micro-batches. One of its layers moves.
TEST(PipelineStageImbalance, AStageThatHasMoreBesideItsLayers) {
  const ToldOfPipeline told = TellOfPipeline("pipeline-stage-imbalance", Schedule(8, 2, 2, 600));
  EXPECT_EQ(told.ranks, "1");
  EXPECT_THAT(
      told.title,
      HasSubstr("stage 1 of the pipeline computes 1.33 times the mean of all: what no other "
                "stage has, above all gemm_of_head, takes 4.80 ms of its 9.60 ms a step"));
  EXPECT_THAT(told.change, ::testing::EndsWith(" Proposed: 1 layer of stage 1 to stage 0."));
  EXPECT_GT(told.gain_pct, 10);
  // A quarter more than the mean is usual.
  EXPECT_EQ(TellOfPipeline("pipeline-stage-imbalance", Schedule(8, 2, 2, 400)).gain_pct, -1);
}

// What is replayed is what is proposed: one number.
TEST(PipelineStageImbalance, GainsWhatTheProposalGains) {
  const Rule& rule = PipelineStageImbalanceRule();
  LookAt(JobOf(Schedule(8, 1, 3)), rule.tables, [&](const RuleInput& input) {
    const auto cause = CauseOf(rule, input);
    ASSERT_TRUE(cause && cause->without && cause->proposal);
    EXPECT_EQ(input.GainOf(*cause->without), input.GainOf(cause->proposal->then));
  });
}

// Layers are counted by their attention: a stage without any cannot be compared, whatever it takes.
TEST(PipelineStageImbalance, AStageWithoutAttentionTellsNothingOfLayers) {
  Schedule schedule(8, 1, 3);
  const Rule& rule = PipelineStageImbalanceRule();
  LookAt(JobOf(schedule), rule.tables,
         [&](const RuleInput& input) { EXPECT_TRUE(CauseOf(rule, input).has_value()); });
  schedule.forward_kernel[0] = schedule.backward_kernel[0] = "elementwise_kernel";
  LookAt(JobOf(schedule), rule.tables,
         [&](const RuleInput& input) { EXPECT_FALSE(CauseOf(rule, input).has_value()); });
}

}  // namespace
}  // namespace rankscope
