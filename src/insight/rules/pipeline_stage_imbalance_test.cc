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

// Stage 1 has two layers and stage 0 one: with one in each, nine passes of 300 us in place of eight
// of 600 and one of 300.
TEST(PipelineStageImbalance, AStageWithMoreLayers) {
  const Schedule uneven(8, 1, 2);
  const Schedule even(8, 1, 1);
  ASSERT_EQ(uneven.window, 100 + 8 * 600 + 200);
  ASSERT_EQ(even.window, 2700);
  const ToldOfPipeline told = TellOfPipeline("pipeline-stage-imbalance", uneven);
  EXPECT_EQ(told.ranks, "1");
  EXPECT_THAT(told.title, HasSubstr("stage 1 of the pipeline has more layers than the others"));
  EXPECT_NEAR(told.gain_pct, 100.0 * (uneven.window - even.window) / (uneven.window + kBetween),
              0.5);
  EXPECT_EQ(TellOfPipeline("pipeline-stage-imbalance", even).gain_pct, -1);
}

// Of three layers and one, one changes hands. These traces tell no replay.
TEST(PipelineStageImbalance, LayersAreProposedToMove) {
  EXPECT_THAT(TellOfPipeline("pipeline-stage-imbalance", Schedule(8, 1, 3)).change,
              ::testing::EndsWith(" Proposed: 1 layer of stage 1 to stage 0."));
  // From two and one nothing is won by one and two.
  EXPECT_THAT(TellOfPipeline("pipeline-stage-imbalance", Schedule(8, 1, 2)).change,
              ::testing::Not(HasSubstr("Proposed")));
}

// Layers are counted by their attention: a stage without any cannot be compared, whatever it takes.
TEST(PipelineStageImbalance, AStageWithoutAttentionTellsNothingOfLayers) {
  Schedule schedule(8, 1, 2);
  const Rule& rule = PipelineStageImbalanceRule();
  LookAt(JobOf(schedule), rule.tables,
         [&](const RuleInput& input) { EXPECT_TRUE(CauseOf(rule, input).has_value()); });
  schedule.forward_kernel[0] = schedule.backward_kernel[0] = "elementwise_kernel";
  LookAt(JobOf(schedule), rule.tables,
         [&](const RuleInput& input) { EXPECT_FALSE(CauseOf(rule, input).has_value()); });
}

}  // namespace
}  // namespace rankscope
