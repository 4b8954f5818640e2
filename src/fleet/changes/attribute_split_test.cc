#include "fleet/changes/attribute_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace rankscope::fleet {
namespace {

using ::testing::ElementsAre;

const std::vector<double> kValues = {1.0, 1.1, 0.9, 1.0, 1.5, 1.6, 1.4, 1.5};

TEST(ExplainChange, NamesTheAttributeThatChangedWithTheValues) {
  const std::vector<Attribute> attributes = {
      {"framework", {"2.8", "2.9", "2.8", "2.9", "2.8", "2.9", "2.8", "2.9"}},
      {"driver", {"550", "550", "550", "550", "560", "560", "560", "560"}}};
  const auto split = ExplainChange(kValues, 4, attributes, 0.5);
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->attribute, "driver");
  EXPECT_EQ(split->value, "560");
  EXPECT_EQ(split->before, "550");
  // Squares: around one mean 0.54, around two 0.04.
  EXPECT_NEAR(split->explained, 0.5 / 0.54, 1e-9);
  EXPECT_TRUE(split->or_else.empty());
}

TEST(ExplainChange, WhatChangesTogetherIsNamedTogether) {
  const std::vector<Attribute> attributes = {{"driver", {"a", "a", "a", "a", "b", "b", "b", "b"}},
                                             {"image", {"1", "1", "1", "1", "2", "2", "2", "2"}}};
  const auto split = ExplainChange(kValues, 4, attributes, 0.5);
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->attribute, "driver");
  EXPECT_THAT(split->or_else, ElementsAre("image"));
}

TEST(ExplainChange, AHostIsACauseOnlyIfOthersStayed) {
  const std::vector<Attribute> all_slower = {{"host", {"a", "b", "a", "b", "a", "a", "b", "a"}}};
  EXPECT_FALSE(ExplainChange(kValues, 4, all_slower, 0.1).has_value());
  const std::vector<double> one_slower = {1.0, 1.1, 0.9, 1.0, 1.5, 1.0, 1.6, 1.0};
  const std::vector<Attribute> hosts = {{"host", {"a", "b", "a", "b", "c", "a", "c", "b"}}};
  const auto split = ExplainChange(one_slower, 4, hosts, 0.5);
  ASSERT_TRUE(split.has_value());
  EXPECT_EQ(split->value, "c");
}

// The driver came a run after the change.
TEST(ExplainChange, WhatOnlyLiesNearTheChangeIsNoCause) {
  const std::vector<Attribute> late = {{"driver", {"a", "a", "a", "a", "a", "b", "b", "b"}}};
  EXPECT_FALSE(ExplainChange(kValues, 4, late, 0.1).has_value());
}

TEST(ExplainChange, NothingKnownIsNoCause) {
  const std::vector<Attribute> unknown = {{"driver", {"", "", "", "", "", "", "", ""}},
                                          {"image", {"1", "1", "1", "1", "", "", "", ""}}};
  EXPECT_FALSE(ExplainChange(kValues, 4, unknown, 0.1).has_value());
  EXPECT_FALSE(ExplainChange(kValues, 0, unknown, 0.1).has_value());
}

}  // namespace
}  // namespace rankscope::fleet
