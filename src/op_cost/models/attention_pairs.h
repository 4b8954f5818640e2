// The number of (query, key) pairs that an attention computes, by its mask.
#pragma once

namespace rankscope {

inline constexpr double kUnlimited = -1;

// Row i of `queries` attends to the keys from i + shift - left to i + shift + right. shift is keys
// - queries if the mask is aligned at the end (flash attention), otherwise 0 (the others). Causal:
// right = 0. kUnlimited: no limit on that side.
struct Mask {
  double left = kUnlimited;
  double right = kUnlimited;
  bool is_aligned_at_end = true;
};
double PairsOf(double queries, double keys, const Mask& mask);

}  // namespace rankscope
