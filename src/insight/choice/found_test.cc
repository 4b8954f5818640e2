// Severity, by what a cause gains with the profiler and without; what is a cause of its own.
#include "insight/choice/found.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

#include "insight/job_plan_for_test.h"
#include "insight/rule_input_for_test.h"

namespace rankscope {
namespace {

std::string_view Severity(double gain, std::optional<double> unprofiled = std::nullopt,
                          std::optional<double> cautious = std::nullopt) {
  Found found;
  found.gain = gain;
  found.unprofiled = unprofiled;
  found.cautious = cautious;
  return SeverityOf(found);
}

TEST(Severity, FollowsTheGain) {
  EXPECT_EQ(Severity(0.10), "high");
  EXPECT_EQ(Severity(0.099), "medium");
  EXPECT_EQ(Severity(0.029), "low");
}

// By the estimate that leaves less; what is high by the usual one is at least medium.
TEST(Severity, OfWhatMayBeTheProfilers) {
  EXPECT_EQ(Severity(0.67, 0.21, 0.12), "high");
  EXPECT_EQ(Severity(0.67, 0.21, 0.0), "medium");
  EXPECT_EQ(Severity(0.67, 0.09, 0.0), "low");
}

// 8.1 % more of 22.9 % alone is over 35 % of it; 7 % is not, and would have to be other work.
TEST(IsOfItsOwn, ByWhatItAddsToTheOthers) {
  LookAt(JobOf({}), {}, [](const RuleInput& input) {
    const GainsTogether together(input);
    Found found;
    found.number = 0;
    found.gain = 0.229;
    EXPECT_FALSE(IsOfItsOwn(together, found, {}, 0.009));
    EXPECT_FALSE(IsOfItsOwn(together, found, {}, 0.07));
    EXPECT_TRUE(IsOfItsOwn(together, found, {}, 0.081));
    found.gain = 0.01;
    EXPECT_FALSE(IsOfItsOwn(together, found, {}, 0.009));
  });
}

}  // namespace
}  // namespace rankscope
