#include "quantity/slowdowns.h"

#include <gtest/gtest.h>

namespace rankscope::quantity {
namespace {

TEST(Slowdowns, AreNumbersOfTheirOwn) {
  EXPECT_EQ(SlowedBy(kPowerBrake), "device_slowed_power_brake");
  EXPECT_TRUE(IsDefect("software_power_cap"));
  EXPECT_FALSE(IsDefect("application_clocks"));
  EXPECT_EQ(SlowdownDefects().size(), 5U);
}

}  // namespace
}  // namespace rankscope::quantity
