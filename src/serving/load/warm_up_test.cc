#include "serving/load/warm_up.h"

#include <gtest/gtest.h>

#include <vector>

namespace rankscope::serving {
namespace {

TEST(WarmUp, LeavesOutTheRiseAndNothingElse) {
  // 20 values that rise to 100, then 80 that lie around it.
  std::vector<double> values;
  for (int i = 0; i < 20; ++i) values.push_back(5.0 * i);
  for (int i = 0; i < 80; ++i) values.push_back(100 + (i % 2 == 0 ? 1 : -1));
  EXPECT_EQ(WarmUpOf(values), 20U);
}

TEST(WarmUp, OfAConstantSeriesIsNothing) { EXPECT_EQ(WarmUpOf(std::vector<double>(100, 7.0)), 0U); }

TEST(WarmUp, OfWhatRisesToTheEndIsUnknown) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i * i);
  EXPECT_EQ(WarmUpOf(values), std::nullopt);
}

TEST(WarmUp, NeedsFiftyValues) { EXPECT_EQ(WarmUpOf(std::vector<double>(49, 1.0)), std::nullopt); }

TEST(WarmUp, OfWhatHasNoTrendIsNothing) {
  // Means of 0 and 10 in turns, and of 5 at the end, where the variance is none.
  std::vector<double> values;
  for (int batch = 0; batch < 20; ++batch)
    values.insert(values.end(), 5, batch >= 15 ? 5 : 10 * (batch % 2));
  EXPECT_EQ(WarmUpOf(values), 0U);
}

}  // namespace
}  // namespace rankscope::serving
