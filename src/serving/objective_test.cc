#include "serving/objective.h"

#include <gtest/gtest.h>

namespace rankscope::serving {
namespace {

TEST(Objective, HasLimitsWithUnits) {
  const auto objective = ParseObjective("ttft=0.5s, tpot=50,e2e=10s");
  ASSERT_TRUE(objective.ok());
  EXPECT_EQ(objective->ttft, 500'000'000);
  EXPECT_EQ(objective->tpot, 50'000'000);
  EXPECT_EQ(objective->e2e, 10'000'000'000);
}

TEST(Objective, WhatIsNoLimitIsAUsageError) {
  for (const char* wrong : {"", "ttft", "ttft=", "ttft=-1", "ttft=x", "itl=5ms", "ttft=nan", ","})
    EXPECT_EQ(ParseObjective(wrong).status().code(), StatusCode::kInvalidArgument) << wrong;
}

}  // namespace
}  // namespace rankscope::serving
