#include "sim/choose_step_size.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace rankscope::sim {
namespace {

TEST(StepSize, MeetsTheTargetWithinTenPercent) {
  for (const int steps : {1, 3, 7}) {
    for (std::int64_t target = 700 * steps; target < 3'000'000; target = target * 9 / 4) {
      SimulateOptions options;
      options.steps = steps;
      options.events_per_rank = target;
      const auto size = ChooseStepSize(options);
      ASSERT_TRUE(size.ok()) << size.status().message();
      const std::int64_t events = CountEvents(options, *size);
      EXPECT_LE(std::abs(events - target), target / 10) << steps << " steps of " << target;
      EXPECT_LE(size->layers, 64);
    }
  }
}

TEST(StepSize, MeetsTheTargetInEveryKindOfJob) {
  for (int kind = 0; kind < kJobKindCount; ++kind) {
    SimulateOptions options;
    options.job = static_cast<JobKind>(kind);
    options.ranks = options.job == JobKind::kSingle ? 1 : 8;
    options.steps = 3;
    for (const std::int64_t target : {30'000, 100'000, 700'000}) {
      options.events_per_rank = target;
      const auto size = ChooseStepSize(options);
      ASSERT_TRUE(size.ok()) << size.status().message();
      const std::int64_t events = CountEvents(options, *size);
      EXPECT_LE(std::abs(events - target), target / 10) << NameOf(options.job) << " " << target;
    }
  }
}

TEST(StepSize, SaysHowManyEventsTheSmallestJobNeeds) {
  SimulateOptions options;
  options.steps = 10;
  options.events_per_rank = 1000;
  const auto refused = ChooseStepSize(options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument);
  const std::string message = refused.status().message();
  const std::size_t at = message.find("at least ");
  ASSERT_NE(at, std::string::npos) << message;
  options.events_per_rank = std::atoll(message.c_str() + at + 9);
  EXPECT_TRUE(ChooseStepSize(options).ok());
  --options.events_per_rank;
  EXPECT_FALSE(ChooseStepSize(options).ok());
}

}  // namespace
}  // namespace rankscope::sim
