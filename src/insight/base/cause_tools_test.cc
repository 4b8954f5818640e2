#include "insight/base/cause_tools.h"

#include <gtest/gtest.h>

#include <string>

#include "insight/job_plan_for_test.h"
#include "insight/rule_input_for_test.h"

namespace rankscope {
namespace {

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
