#include "tune/subject/canary_watch.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace rankscope::tune {
namespace {

// `fast` requests below 0.5 s, `slow` ones between 1 and 2.5 s.
std::string Scrape(int fast, int slow) {
  return fmt::format(
      "# TYPE vllm:time_to_first_token_seconds histogram\n"
      "vllm:time_to_first_token_seconds_bucket{{le=\"0.5\"}} {}\n"
      "vllm:time_to_first_token_seconds_bucket{{le=\"1.0\"}} {}\n"
      "vllm:time_to_first_token_seconds_bucket{{le=\"2.5\"}} {}\n"
      "vllm:time_to_first_token_seconds_bucket{{le=\"+Inf\"}} {}\n"
      "vllm:time_to_first_token_seconds_sum {}\n"
      "vllm:time_to_first_token_seconds_count {}\n",
      fast, fast, fast + slow, fast + slow, 0.2 * fast + 1.5 * slow, fast + slow);
}

constexpr serving::Objective kLimits{.ttft = 1'000'000'000};

TEST(CanaryWatch, CountsWhatWasGainedBetweenTheScrapes) {
  std::string seen;
  // 1,000 slow ones before the canary are not the canary's.
  EXPECT_EQ(BrokenLimits(Scrape(0, 1000), Scrape(200, 1000), kLimits, &seen), "");
  EXPECT_EQ(seen, "100.0% of 200 requests within TTFT 1000 ms");
}

TEST(CanaryWatch, BreaksWhereFewerKeepTheLimitThanChanceAllows) {
  // Of 200, 95% less 2.6 deviations (1.54% each) are 91.0%: 181 of 200 are too few, 183 are not.
  std::string seen;
  EXPECT_NE(BrokenLimits(Scrape(0, 0), Scrape(181, 19), kLimits, &seen), "");
  EXPECT_EQ(BrokenLimits(Scrape(0, 0), Scrape(183, 17), kLimits, &seen), "");
}

TEST(CanaryWatch, AFewRequestsBreakNothing) {
  EXPECT_EQ(BrokenLimits(Scrape(0, 0), Scrape(0, 99), kLimits, nullptr), "");
  EXPECT_NE(BrokenLimits(Scrape(0, 0), Scrape(0, 100), kLimits, nullptr), "");
}

TEST(CanaryWatch, ALimitWithinABucketIsKeptByAllOfIt) {
  const serving::Objective within{.ttft = 1'500'000'000};
  EXPECT_EQ(BrokenLimits(Scrape(0, 0), Scrape(0, 300), within, nullptr), "");
}

TEST(CanaryWatch, OtherTextsBreakNothing) {
  EXPECT_EQ(BrokenLimits("{}", "<html>", kLimits, nullptr), "");
}

}  // namespace
}  // namespace rankscope::tune
