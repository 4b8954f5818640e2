#include "op_cost/models/attention_pairs.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope {
namespace {

// Pair by pair.
double Counted(int queries, int keys, const Mask& mask) {
  const int shift = mask.is_aligned_at_end ? keys - queries : 0;
  double pairs = 0;
  for (int i = 0; i < queries; ++i) {
    for (int j = 0; j < keys; ++j) {
      const bool is_left = mask.left < 0 || j >= i + shift - mask.left;
      const bool is_right = mask.right < 0 || j <= i + shift + mask.right;
      pairs += is_left && is_right ? 1 : 0;
    }
  }
  return pairs;
}

TEST(PairsOf, ByHand) {
  EXPECT_EQ(PairsOf(3, 5, {}), 15);
  // Causal: 1 + 2 + 3 + 4; at the end 3 + 4 + 5; at the begin 1 + 2 + 3.
  EXPECT_EQ(PairsOf(4, 4, {kUnlimited, 0, true}), 10);
  EXPECT_EQ(PairsOf(3, 5, {kUnlimited, 0, true}), 12);
  EXPECT_EQ(PairsOf(3, 5, {kUnlimited, 0, false}), 6);
  // A window of one key to the left: 1 + 2 + 2 + 2.
  EXPECT_EQ(PairsOf(4, 4, {1, 0, true}), 7);
}

TEST(PairsOf, AsCounted) {
  for (const int queries : {1, 4, 7}) {
    for (const int keys : {1, 4, 9}) {
      for (const double left : {kUnlimited, 0.0, 2.0, 20.0}) {
        for (const double right : {kUnlimited, 0.0, 3.0}) {
          for (const bool at_end : {true, false}) {
            const Mask mask = {left, right, at_end};
            EXPECT_EQ(PairsOf(queries, keys, mask), Counted(queries, keys, mask))
                << queries << " " << keys << " " << left << " " << right << " " << at_end;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace rankscope
