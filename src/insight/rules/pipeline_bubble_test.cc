// pipeline-bubble: too few micro-batches for the stages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "insight/rules/pipeline_for_test.h"

namespace rankscope {
namespace {

using ::testing::HasSubstr;

// Two micro-batches leave (p - 1) / (m + p - 1) = 1/3 of 900 us empty, eight would leave 1/9: the
// passes would take 3/4 of the time, of which 65 % are promised.
TEST(PipelineBubble, OfTwoMicroBatches) {
  const Schedule schedule(2, 1, 1);
  ASSERT_EQ(schedule.window, 900);
  const ToldOfPipeline told = TellOfPipeline("pipeline-bubble", schedule);
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_THAT(told.title, HasSubstr("2 stages with 2 micro-batches leave 33"));
  EXPECT_NEAR(told.gain_pct, 100 * 0.65 * 0.25 * 900 / 1000, 0.5);
}

TEST(PipelineBubble, ManyMicroBatchesLeaveNoBubbleToSpeakOf) {
  // Little, which smaller products may cost.
  const ToldOfPipeline of_five = TellOfPipeline("pipeline-bubble", Schedule(5, 1, 1));
  EXPECT_GT(of_five.gain_pct, 3);
  EXPECT_LT(of_five.gain_pct, 5);
  EXPECT_EQ(of_five.severity, "low");
  EXPECT_GT(TellOfPipeline("pipeline-bubble", Schedule(6, 1, 1)).gain_pct, 0);
  EXPECT_EQ(TellOfPipeline("pipeline-bubble", Schedule(2, 1, 1)).severity, "high");
  EXPECT_EQ(TellOfPipeline("pipeline-bubble", Schedule(8, 1, 1)).gain_pct, -1);
}

}  // namespace
}  // namespace rankscope
