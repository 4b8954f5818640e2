// The middle of values: of an even number the mean of the two in the middle, of whole numbers
// rounded towards the lower one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace rankscope {

// 0 without values. Puts the values into another order. O(n).
template <typename T>
T MedianOf(std::vector<T>& values) {
  if (values.empty()) return T{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const T below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

}  // namespace rankscope
