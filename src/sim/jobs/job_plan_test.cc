#include "sim/jobs/job_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope::sim {
namespace {

using ::testing::HasSubstr;

TEST(JobPlan, PrintsTheRanksOfAGroupAsKinetoDoes) {
  SimulateOptions options;
  options.ranks = 3;
  EXPECT_EQ(JobPlan(options, {}, 0, 0).layout().groups[0].ranks_text, "[0, 1, 2]");
  options.ranks = 31;
  EXPECT_THAT(JobPlan(options, {}, 0, 0).layout().groups[0].ranks_text,
              ::testing::EndsWith("28, 29, ...]"));
}

TEST(JobPlan, ClockOffsetsAndDriftsStayWithinTheirBounds) {
  SimulateOptions options;
  options.ranks = 1000;
  options.clock_offset_max_ns = 1000;
  options.clock_drift_max_ppb = 20'000;
  const JobPlan plan(options, {}, 0, 0);
  std::int64_t least = 0, most = 0, least_drift = 0, most_drift = 0;
  for (int rank = 0; rank < options.ranks; ++rank) {
    least = std::min(least, plan.clock(rank).offset_ns);
    most = std::max(most, plan.clock(rank).offset_ns);
    least_drift = std::min(least_drift, plan.clock(rank).drift_ppb);
    most_drift = std::max(most_drift, plan.clock(rank).drift_ppb);
  }
  EXPECT_GE(least, -1000);
  EXPECT_LE(most, 1000);
  EXPECT_LT(least, -900);
  EXPECT_GT(most, 900);
  EXPECT_GE(least_drift, -20'000);
  EXPECT_LE(most_drift, 20'000);
  EXPECT_LT(least_drift, -18'000);
  EXPECT_GT(most_drift, 18'000);
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
  EXPECT_THAT(refused([](auto* o) { o->clock_drift_max_ppb = -1; }), HasSubstr("clock drift"));
  const auto plant = [](SimulateOptions* options, double severity, int rank, int step) {
    options->causes = {
        {.cause = CauseId::kSlowGpu, .severity = severity, .ranks = {rank}, .steps = {step}}};
  };
  EXPECT_THAT(refused([&](auto* o) { plant(o, 1, 8, 0); }),
              HasSubstr("slow-gpu: the job has no rank 8"));
  EXPECT_THAT(refused([&](auto* o) { plant(o, 1, 0, 5); }), HasSubstr("the job has no step 5"));
  EXPECT_THAT(refused([&](auto* o) { plant(o, -1, 0, 0); }), HasSubstr("severity -1"));
  EXPECT_THAT(refused([&](auto* o) { plant(o, 0.0 / 0.0, 0, 0); }), HasSubstr("severity"));
  EXPECT_THAT(refused([](auto* o) { o->threads = -1; }), HasSubstr("threads"));
}

}  // namespace
}  // namespace rankscope::sim
