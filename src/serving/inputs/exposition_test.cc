#include "serving/inputs/exposition.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rankscope::serving {
namespace {

TEST(Exposition, LabelsHaveEscapes) {
  const auto sample =
      ParseSample(R"(a:b_total{x="1\"2\\3\n",y="",} 1.5e3 1764000000123 # {id="7"} 2)");
  ASSERT_TRUE(sample);
  EXPECT_EQ(sample->name, "a:b_total");
  ASSERT_EQ(sample->labels.size(), 2u);
  EXPECT_EQ(sample->labels[0].second, "1\"2\\3\n");
  EXPECT_EQ(sample->value, 1500);
  EXPECT_EQ(sample->time, 1'764'000'000'123'000'000);
}

TEST(Exposition, TimesOfOpenMetricsAreSeconds) {
  EXPECT_EQ(ParseSample("a 1 1764000000.5")->time, 1'764'000'000'500'000'000);
}

TEST(Exposition, NamesMayStandInTheBraces) {
  EXPECT_EQ(ParseSample(R"({"a.b",x="1"} 2)")->name, "a.b");
}

TEST(Exposition, NumbersMayBeNone) {
  EXPECT_TRUE(std::isnan(ParseSample("a NaN")->value));
  EXPECT_EQ(ParseSample("a{le=\"+Inf\"} +Inf")->value, INFINITY);
}

TEST(Exposition, OtherLinesAreNoSamples) {
  for (const char* line : {"", "a", "a{", "a{x=1} 2", "a{x=\"1} 2", "a{x=\"1\"", "1a 2", "a 2 x",
                           "a 2 3 4", "{} 1", "a{x=\"\\"})
    EXPECT_FALSE(ParseSample(line)) << line;
}

}  // namespace
}  // namespace rankscope::serving
