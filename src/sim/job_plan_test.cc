#include "sim/job_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope::sim {
namespace {

using ::testing::HasSubstr;

TEST(JobPlan, PrintsTheRanksOfAGroupAsKinetoDoes) {
  SimulateOptions options;
  options.ranks = 3;
  EXPECT_EQ(JobPlan(options, {}).group_ranks, "[0, 1, 2]");
  options.ranks = 31;
  EXPECT_THAT(JobPlan(options, {}).group_ranks, ::testing::EndsWith("28, 29, ...]"));
}

TEST(JobPlan, ClockOffsetsStayWithinTheirBound) {
  SimulateOptions options;
  options.clock_offset_max_ns = 1000;
  const JobPlan plan(options, {});
  std::int64_t least = 0, most = 0;
  for (int rank = 0; rank < 1000; ++rank) {
    least = std::min(least, plan.clock_offset_ns(rank));
    most = std::max(most, plan.clock_offset_ns(rank));
  }
  EXPECT_GE(least, -1000);
  EXPECT_LE(most, 1000);
  EXPECT_LT(least, -900);
  EXPECT_GT(most, 900);
}

TEST(JobPlan, RefusesOptionsOutOfRange) {
  SimulateOptions good;
  good.out_folder = "out";
  EXPECT_TRUE(Validate(good).ok());
  const auto refused = [&](auto change) {
    SimulateOptions options = good;
    change(&options);
    const Status status = Validate(options);
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    return status.message();
  };
  EXPECT_THAT(refused([](auto* o) { o->out_folder = ""; }), HasSubstr("out"));
  EXPECT_THAT(refused([](auto* o) { o->ranks = 0; }), HasSubstr("ranks: 0"));
  EXPECT_THAT(refused([](auto* o) { o->steps = -2; }), HasSubstr("steps: -2"));
  EXPECT_THAT(refused([](auto* o) { o->events_per_rank = 0; }), HasSubstr("events"));
  EXPECT_THAT(refused([](auto* o) { o->clock_offset_max_ns = -1; }), HasSubstr("clock offset"));
  EXPECT_THAT(refused([](auto* o) { o->slow_rank = 8; }), HasSubstr("slow rank: 8"));
  EXPECT_THAT(refused([](auto* o) { o->slow_factor = 0.5; }), HasSubstr("slow factor: 0.5"));
  EXPECT_THAT(refused([](auto* o) { o->slow_factor = 0.0 / 0.0; }), HasSubstr("slow factor"));
  EXPECT_THAT(refused([](auto* o) { o->threads = -1; }), HasSubstr("threads"));
}

}  // namespace
}  // namespace rankscope::sim
