#include "schemas/words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "schemas/host.h"
#include "schemas/steps.h"

namespace rankscope {
namespace {

TEST(Words, MetricsAreListedOnceByTheirIds) {
  EXPECT_TRUE(std::ranges::is_sorted(kMetrics, std::ranges::less_equal(), &MetricWords::id));
  for (const MetricWords& metric : kMetrics) EXPECT_FALSE(metric.label.empty()) << metric.id;
}

TEST(Words, PartsAreTheColumnsOfTimeBreakdown) {
  const auto& schema = SchemaOf<TimeBreakdown>();
  const auto columns = schema.PartColumns();
  for (std::size_t i = 0; i < kParts.size(); ++i)
    EXPECT_EQ(schema.columns()[columns[i].index()].name, std::string(kParts[i].id) + "_ns");
}

TEST(Words, HostPartsAreTheColumnsOfHostBreakdown) {
  const auto& schema = SchemaOf<HostBreakdown>();
  const auto columns = schema.PartColumns();
  for (std::size_t i = 0; i < kHostParts.size(); ++i)
    EXPECT_EQ(schema.columns()[columns[i].index()].name, std::string(kHostParts[i].id) + "_ns");
}

TEST(Words, WhatIsNotListedIsNotFound) {
  EXPECT_EQ(FindWords(kMetrics, "step_time")->label, "step time");
  EXPECT_EQ(FindWords(kMetrics, "sleeping"), nullptr);
}

}  // namespace
}  // namespace rankscope
