// Rings of an hour, by a clock that the test moves.
#include "service/hosts/host_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rankscope::service {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kNow = 1'800'000'000'000;  // a step begins then
constexpr std::int64_t kStep = HostMetrics::kStepMs;

class HostMetricsTest : public ::testing::Test {
 protected:
  void Take(std::int64_t unix_ms, double value, std::int64_t device = 0,
            const std::string& name = "device_busy", const std::string& host = "a") {
    const HostSample sample{unix_ms, device, name, value};
    metrics_.Take(host, {&sample, 1}, now_);
  }
  std::vector<HostSeries> Of(std::int64_t points, const std::string& host = "a",
                             std::string_view name = "") {
    return metrics_.Of(host, name, points, now_, begin_, step_);
  }
  std::int64_t now_ = kNow, begin_ = 0, step_ = 0;
  HostMetrics metrics_;
};

TEST_F(HostMetricsTest, EachStepHasItsPlaceAndTheOthersAreUnknown) {
  Take(kNow - 2 * kStep, 0.25);
  Take(kNow + 4999, 0.5);  // of the step that runs
  const auto found = Of(HostMetrics::kSteps);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "device_busy");
  EXPECT_EQ(found[0].unit, "ratio");
  ASSERT_EQ(found[0].low.size(), 720U);
  EXPECT_EQ(step_, kStep);
  EXPECT_EQ(begin_, kNow - 719 * kStep);
  EXPECT_EQ(found[0].high[719], 0.5F);
  EXPECT_TRUE(std::isnan(found[0].high[718]));
  EXPECT_EQ(found[0].high[717], 0.25F);
}

TEST_F(HostMetricsTest, PointsKeepTheExtremes) {
  for (std::int64_t i = 0; i < 720; ++i)
    Take(kNow - i * kStep, i == 33 ? 0.9 : i == 35 ? 0.1 : 0.5);
  const auto found = Of(12);
  ASSERT_EQ(found[0].low.size(), 12U);
  EXPECT_EQ(step_, 60 * kStep);
  EXPECT_EQ(begin_, kNow - 719 * kStep);
  EXPECT_EQ(found[0].high[11], 0.9F);
  EXPECT_EQ(found[0].low[11], 0.1F);
  EXPECT_EQ(found[0].high[10], 0.5F);
  EXPECT_EQ(Of(7)[0].low.size(), 7U);  // 103 steps each: one more than there are
}

TEST_F(HostMetricsTest, AnHourLaterItIsForgotten) {
  Take(kNow, 0.5);
  now_ += 3600 * 1000;
  const auto found = Of(720);
  for (const float value : found[0].high) EXPECT_TRUE(std::isnan(value));
  Take(now_, 0.7, 1);
  EXPECT_EQ(Of(720).size(), 1U) << "what is an hour old is gone";
  // What comes late goes to its place, and not over what is newer.
  Take(now_ - 10 * kStep, 0.2, 1);
  EXPECT_EQ(Of(720)[0].high[719], 0.7F);
  EXPECT_EQ(Of(720)[0].high[709], 0.2F);
}

TEST_F(HostMetricsTest, WhatIsNoSampleIsRefused) {
  Take(kNow, std::numeric_limits<double>::infinity());
  Take(kNow, 1e300);
  Take(kNow, std::nan(""));
  Take(kNow, 1, 0, "made_up");
  Take(kNow, 1, 256);
  Take(kNow, 1, -2);
  Take(kNow + 60'000, 1);
  Take(kNow - 3'600'000, 1);
  Take(INT64_MAX, 1);
  Take(INT64_MIN, 1);
  EXPECT_THAT(Of(10), IsEmpty());
  EXPECT_EQ(metrics_.numbers().refused, 10U);
  EXPECT_EQ(metrics_.numbers().taken, 0U);
}

TEST_F(HostMetricsTest, HostsAndNamesAreApartAndMemoryIsBounded) {
  Take(kNow, 1, 0, "device_busy", "b");
  Take(kNow, 2, 0, "device_power", "a");
  Take(kNow, 3, 1, "device_power", "a");
  EXPECT_EQ(Of(1).size(), 2U);
  EXPECT_EQ(Of(1, "a", "device_busy").size(), 0U);
  EXPECT_THAT(Of(1, "a", "device_power")[1].low, ElementsAre(3.0F));
  metrics_.Drop("a");
  EXPECT_EQ(Of(1).size(), 0U);
  EXPECT_EQ(Of(1, "b").size(), 1U);
  for (int host = 0; host < 1000; ++host) {
    for (std::int64_t device = 0; device < 128; ++device)
      Take(kNow, 1, device, "device_busy", std::to_string(host));
  }
  EXPECT_LE(metrics_.numbers().bytes, HostMetrics::kMostBytes);
  EXPECT_GT(metrics_.numbers().refused, 0U);
}

}  // namespace
}  // namespace rankscope::service
