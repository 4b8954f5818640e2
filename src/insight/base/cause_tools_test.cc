#include "insight/base/cause_tools.h"

#include <gtest/gtest.h>

#include <string>

#include "insight/job_plan_for_test.h"
#include "insight/rule_input_for_test.h"

namespace rankscope {
namespace {

TEST(CountText, OneIsSingular) {
  EXPECT_EQ(CountText(1, "kernel"), "1 kernel");
  EXPECT_EQ(CountText(1.02, "copy"), "1 copy");
  EXPECT_EQ(CountText(2, "small copy"), "2 small copies");
  EXPECT_EQ(CountText(0.25, "call"), "0.2 calls");
  EXPECT_EQ(CountText(1.5, "call"), "1.5 calls");
  EXPECT_EQ(CountText(123.4, "chain"), "123 chains");
}

TEST(CountText, WithTheVerbBehindIt) {
  EXPECT_EQ(CountAStep(1, "copy").text, "1 copy a step");
  EXPECT_EQ(CountAStep(1, "copy").verb_ending, "s");
  EXPECT_EQ(CountAStep(3, "copy").text, "3 copies a step");
  EXPECT_EQ(CountAStep(3, "copy").verb_ending, "");
  EXPECT_EQ(TimesAStep(1), "once a step");
  EXPECT_EQ(TimesAStep(12), "12 times a step");
}

// The words for all counted steps.
std::string EveryStep(const JobForTest& job) {
  std::string text;
  LookAt(job, {}, [&](const RuleInput& input) { text = InEveryStepText(input); });
  return text;
}
// The first of several is shorter than the others, and does not count: the device had no work of a
// step before.
std::string EveryStepOfProgram(int steps) {
  Program program;
  for (int step = 0; step < steps; ++step) program.Step(step, [](Program& of) { of.Products(5); });
  JobForTest job;
  job.Add(0, program.Build(-1));
  return EveryStep(job);
}

TEST(InEveryStepText, OfTheStepsThatCount) {
  JobPlan plan;
  plan.step = [](int, int) { return RankStep{.product = 4000}; };
  EXPECT_EQ(EveryStep(JobOf(plan)), "in every step");
  EXPECT_EQ(EveryStepOfProgram(4), "in every complete step");
  EXPECT_EQ(EveryStepOfProgram(1), "in the one step that was recorded");
}

}  // namespace
}  // namespace rankscope
