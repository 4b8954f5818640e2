// Severity, by what a cause gains with the profiler and without.
#include "insight/choice/found.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>

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

}  // namespace
}  // namespace rankscope
