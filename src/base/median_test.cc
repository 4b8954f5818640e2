#include "base/median.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace rankscope {
namespace {

TEST(MedianOf, IsTheMiddleOrTheMeanOfTheTwo) {
  std::vector<std::int64_t> odd = {30, 10, 20};
  EXPECT_EQ(MedianOf(odd), 20);
  std::vector<std::int64_t> even = {40, 10, 21, 30};
  EXPECT_EQ(MedianOf(even), 25) << "25.5, rounded towards the lower one";
  std::vector<double> real = {4, 1, 2, 3};
  EXPECT_EQ(MedianOf(real), 2.5);
  std::vector<double> one = {7};
  EXPECT_EQ(MedianOf(one), 7);
}

TEST(MedianOf, OfLargeNumbersDoesNotOverflow) {
  std::vector<std::int64_t> values = {INT64_MAX, INT64_MAX - 2};
  EXPECT_EQ(MedianOf(values), INT64_MAX - 1);
}

}  // namespace
}  // namespace rankscope
