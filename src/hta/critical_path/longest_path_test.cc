#include "hta/critical_path/longest_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::hta {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Edge Weighing(std::int64_t weight, NodeId from, NodeId to) {
  return {weight, from, to, kNoEvent, {}};
}

TEST(LongestPath, IsTheHeaviest) {
  EXPECT_THAT(LongestPath(4, std::vector{Weighing(5, 0, 1), Weighing(1, 0, 2), Weighing(7, 2, 1),
                                         Weighing(0, 1, 3)}),
              ElementsAre(1, 2));
  EXPECT_THAT(LongestPath(3, std::vector{Weighing(-3, 0, 1), Weighing(2, 1, 2)}), ElementsAre(0, 1))
      << "a negative weight counts as 0";
}

TEST(LongestPath, IsNothingWithoutWeightOrWithACycle) {
  EXPECT_THAT(LongestPath(0, {}), IsEmpty());
  EXPECT_THAT(LongestPath(2, std::vector{Weighing(0, 0, 1)}), IsEmpty());
  EXPECT_THAT(LongestPath(4, std::vector{Weighing(9, 0, 1), Weighing(1, 1, 2), Weighing(1, 2, 1)}),
              IsEmpty());
}

TEST(LongestPath, OfTwoAsHeavyTakesTheFirstAsNetworkXDoes) {
  // NetworkX 3.6: [0, 2, 3] and [0, 1, 3] by the order of the edges into 3.
  EXPECT_THAT(LongestPath(4, std::vector{Weighing(1, 0, 1), Weighing(1, 0, 2), Weighing(1, 2, 3),
                                         Weighing(1, 1, 3)}),
              ElementsAre(1, 2));
  EXPECT_THAT(LongestPath(4, std::vector{Weighing(1, 0, 1), Weighing(1, 0, 2), Weighing(1, 1, 3),
                                         Weighing(1, 2, 3)}),
              ElementsAre(0, 2));
  // Ends at 2, in the first generation of followers, though the edges of the chain come first.
  EXPECT_THAT(LongestPath(4, std::vector{Weighing(1, 0, 1), Weighing(1, 1, 3), Weighing(2, 0, 2)}),
              ElementsAre(2));
}

TEST(LongestPath, OfHugeWeightsStopsAtTheLargestNumber) {
  constexpr std::int64_t kHuge = INT64_MAX - 1;
  EXPECT_THAT(LongestPath(3, std::vector{Weighing(kHuge, 0, 1), Weighing(kHuge, 1, 2)}),
              ElementsAre(0, 1));
}

}  // namespace
}  // namespace rankscope::hta
