#include "report/base/wording.h"

#include <gtest/gtest.h>

#include <vector>

#include "schemas/words.h"

namespace rankscope {
namespace {

TEST(Wording, ValuesByUnit) {
  EXPECT_EQ(HumanValue(12'300'000, "ns"), "12.3 ms");
  EXPECT_EQ(HumanValue(12'300'000, "ns/step"), "12.3 ms");
  EXPECT_EQ(HumanValue(87.46, "%"), "87.5%");
  EXPECT_EQ(HumanValue(1.5e9, "bytes/step"), "1.50 GB");
  EXPECT_EQ(HumanValue(1.5e9, "bytes/s"), "1.50 GB/s");
  EXPECT_EQ(HumanValue(337, "1/step"), "337");
  EXPECT_EQ(HumanValue(std::nullopt, "ns"), "?");
}

TEST(Wording, MetricsAndParts) {
  EXPECT_EQ(MetricLabel("communication_hidden_time", "ns/step"),
            "hidden communication time per step");
  EXPECT_EQ(MetricLabel("step_time", "ns"), "step time");
  EXPECT_EQ(MetricLabel("sm_efficiency", "%"), "SM efficiency");
  EXPECT_EQ(FindWords(kParts, "idle_data")->label, "idle: waiting for data");
  EXPECT_EQ(FindWords(kParts, "sleeping"), nullptr);
  EXPECT_TRUE(FindWords(kParts, "unknown")->is_idle);
  EXPECT_FALSE(FindWords(kParts, "exposed_copy")->is_idle);
  EXPECT_EQ(Plural(1, "rank"), "1 rank");
  EXPECT_EQ(Plural(1000, "rank"), "1,000 ranks");
}

TEST(Wording, RangesOfNumbers) {
  EXPECT_EQ(Ranges({}), "");
  EXPECT_EQ(Ranges(std::vector<std::int64_t>{5}), "5");
  EXPECT_EQ(Ranges(std::vector<std::int64_t>{0, 1, 2, 3, 7, 9, 10, 32, 33, 34}),
            "0-3, 7, 9, 10, 32-34");
  EXPECT_EQ(Ranges(std::vector<std::int64_t>{1, 3, 5, 6, 7}, 2), "1, 3, ...");
}

}  // namespace
}  // namespace rankscope
