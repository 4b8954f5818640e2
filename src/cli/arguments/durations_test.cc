#include "cli/arguments/durations.h"

#include <gtest/gtest.h>

namespace rankscope::cli {
namespace {

TEST(Durations, NumbersWithUnits) {
  EXPECT_EQ(*ParseDuration("1.5s"), 1'500'000'000);
  EXPECT_EQ(*ParseDuration("20us"), 20'000);
  EXPECT_EQ(*ParseDuration("0ns"), 0);
  EXPECT_EQ(*ParseDuration("0.25ms"), 250'000);
  for (const char* wrong : {"", "s", "5", "-5s", "1e3s", "5 s", "5m", "nan s", "9999999999s"})
    EXPECT_FALSE(ParseDuration(wrong).ok()) << wrong;
}

TEST(Durations, Ranges) {
  EXPECT_EQ(*ParseTimeRange("10ms-0.5s"),
            std::pair(std::int64_t{10'000'000}, std::int64_t{500'000'000}));
  for (const char* wrong : {"", "1s", "2s-1s", "1s-1s", "1s-", "-1s", "a-b"})
    EXPECT_FALSE(ParseTimeRange(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace rankscope::cli
