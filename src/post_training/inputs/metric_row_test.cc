#include "post_training/inputs/metric_row.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::post_training {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(MetricRow, OfVerlsConsoleBehindColoursAndRaysPrefix) {
  const std::string line = WithoutColours(
      "\x1b[36m(TaskRunner pid=17)\x1b[0m step:3 - timing_s/gen:12.5 - actor/lr:1e-06 - "
      "val/reward/mean@1:np.float64(0.25) - note:none - x:nan - timing_s/step:20");
  const auto row = ParseStepLine(line);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->step, 3);
  EXPECT_THAT(row->values, ElementsAre(Pair("timing_s/gen", 12.5), Pair("actor/lr", 1e-6),
                                       Pair("val/reward/mean@1", 0.25), Pair("timing_s/step", 20)));
}

TEST(MetricRow, NegativeNumbersAndProgressBarsDoNotConfuseIt) {
  const auto row = ParseStepLine(
      WithoutColours("Training:  1%|  | 1/140 [00:49<1:53, 49.0s/it]\r(TaskRunner pid=1) step:12 - "
                     "actor/pg_loss:-0.5 - timing_s/step:2.5"));
  ASSERT_TRUE(row);
  EXPECT_EQ(row->step, 12);
  EXPECT_EQ(row->Find("actor/pg_loss"), -0.5);
}

TEST(MetricRow, OtherLinesAreNoSteps) {
  EXPECT_FALSE(ParseStepLine("substep:3 - a:1"));
  EXPECT_FALSE(ParseStepLine("step: 3 - a:1"));
  EXPECT_FALSE(ParseStepLine("step:3"));
  EXPECT_FALSE(ParseStepLine("step:99999999999999999999 - a:1"));
  EXPECT_FALSE(ParseStepLine(""));
}

TEST(MetricRow, OfDictsThatPythonPrinted) {
  const auto row = ParseDictLine(
      "12:01 Global step 7: {'loss': '0.125', 'timing/ppo_train': tensor(2.5), 'name': 'x, {y}', "
      "'flag': True, 'timing/step_total': 5}");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->step, 7);
  EXPECT_THAT(row->values, ElementsAre(Pair("loss", 0.125), Pair("timing/ppo_train", 2.5),
                                       Pair("timing/step_total", 5)));
  EXPECT_FALSE(ParseDictLine("{'name': 'x'}"));
  EXPECT_FALSE(ParseDictLine("{'cut"));
}

TEST(MetricRow, OfJsonWithItsData) {
  const auto reader =
      json::Reader::Parse(R"({"step": 4, "data": {"timing_s/gen": 1.5, "s": "2"}})");
  ASSERT_TRUE(reader.ok());
  const MetricRow row = RowOfJson(reader->root());
  EXPECT_EQ(row.step, 4);
  EXPECT_EQ(row.Find("timing_s/gen"), 1.5);
  EXPECT_EQ(row.Find("s"), 2);
}

}  // namespace
}  // namespace rankscope::post_training
