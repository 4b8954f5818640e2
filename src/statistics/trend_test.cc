// Slopes and trends, against values that are worked out by hand or by going through all orders.
#include "statistics/trend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace rankscope {
namespace {

double Probability(std::vector<std::int64_t> values) { return TrendProbability(values).value(); }

TEST(TheilSen, IsTheMedianOfAllSlopes) {
  const std::vector<Point> points = {{0, 0}, {1, 1}, {2, 4}, {4, 23}};
  // 0-1: 1; 0-2: 2; 0-4: 5.75; 1-2: 3; 1-4: 22/3; 2-4: 9.5. The middle two are 3 and 5.75.
  EXPECT_DOUBLE_EQ(TheilSenSlope(points).value(), 4.375);
}

TEST(TheilSen, OneOddValueDoesNotMoveIt) {
  std::vector<Point> points;
  for (std::int64_t x = 0; x < 9; ++x) points.push_back({x, 100 * x});
  points[4].y = 1'000'000;
  EXPECT_DOUBLE_EQ(TheilSenSlope(points).value(), 100);
}

TEST(TheilSen, NeedsTwoPlaces) {
  EXPECT_FALSE(TheilSenSlope({}).has_value());
  EXPECT_FALSE(TheilSenSlope(std::vector<Point>{{3, 1}, {3, 2}}).has_value());
  EXPECT_DOUBLE_EQ(TheilSenSlope(std::vector<Point>{{3, 1}, {3, 2}, {4, 5}}).value(), 3.5);
}

TEST(Trend, ByHand) {
  EXPECT_FALSE(TrendProbability(std::vector<std::int64_t>{1, 2, 3}).has_value());
  // Two of the 4! orders are as clear.
  EXPECT_DOUBLE_EQ(Probability({1, 2, 3, 4}), 2 / 24.0);
  EXPECT_DOUBLE_EQ(Probability({4, 3, 2, 1}), 2 / 24.0);
  // S = 4: 1 + 3 orders rise as clearly, and as many fall.
  EXPECT_DOUBLE_EQ(Probability({1, 2, 4, 3}), 8 / 24.0);
  EXPECT_DOUBLE_EQ(Probability({1, 2, 3, 4, 5}), 2 / 120.0);
  EXPECT_DOUBLE_EQ(Probability({7, 7, 7, 7}), 1);
  // 1 1 2 2 has 6 orders, of which two are as clear.
  EXPECT_DOUBLE_EQ(Probability({1, 1, 2, 2}), 2 / 6.0);
}

int Clearness(const std::vector<std::int64_t>& values) {
  int s = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j)
      s += (values[j] > values[i]) - (values[j] < values[i]);
  }
  return std::abs(s);
}

TEST(Trend, ExactIsWhatAllOrdersSay) {
  std::mt19937 random(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<std::int64_t> values(4 + random() % 4);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(random() % 6);
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    const int clearness = Clearness(values);
    double clear = 0;
    double all = 0;
    do {
      std::vector<std::int64_t> permuted;
      permuted.reserve(values.size());
      for (const std::size_t i : order) permuted.push_back(values[i]);
      clear += Clearness(permuted) >= clearness;
      ++all;
    } while (std::next_permutation(order.begin(), order.end()));
    EXPECT_NEAR(Probability(values), clear / all, 1e-12);
  }
}

TEST(Trend, NormalContinuesTheExactOne) {
  // 20 values are counted, 21 approximated: a weak trend must not jump.
  std::vector<std::int64_t> values;
  for (std::int64_t i = 0; i < 20; ++i) values.push_back(i % 2 == 0 ? i : 20 - i);
  const double exact = Probability(values);
  values.push_back(10);
  EXPECT_NEAR(Probability(values), exact, 0.1);
  // 100 rising values: S = 4950, variance 100 * 99 * 205 / 18, z = 14.7.
  std::vector<std::int64_t> rising(100);
  std::iota(rising.begin(), rising.end(), 0);
  EXPECT_LT(Probability(rising), 1e-40);
  std::vector<std::int64_t> equal(100, 5);
  EXPECT_DOUBLE_EQ(Probability(equal), 1);
  // 20 values that only rise: 2 of 20! orders.
  rising.resize(20);
  EXPECT_NEAR(Probability(rising) * 2432902008176640000.0, 2, 1e-6);
}

TEST(Trend, NormalByHand) {
  // 11 low values and 10 high ones: S = 110; variance (21*20*47 - 11*10*27 - 10*9*25) / 18
  // = (19740 - 2970 - 2250) / 18 = 806.67; z = 109 / 28.402 = 3.8378.
  std::vector<std::int64_t> values(21, 1);
  std::fill(values.begin() + 11, values.end(), 2);
  EXPECT_NEAR(Probability(values), 1.2416e-4, 1e-7);
}

}  // namespace
}  // namespace rankscope
