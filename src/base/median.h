// The median of values. For an even count it is the mean of the two in the middle; of whole numbers
// it is rounded towards the lower one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace rankscope {

// 0 without values. Reorders the values. O(n).
template <typename T>
T MedianOf(std::vector<T>& values) {
  if (values.empty()) return T{};
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const T below = *std::max_element(values.begin(), middle);
  return below + (*middle - below) / 2;
}

// The median of ascending values without one of them; at least two values. O(log n).
template <typename T>
T MiddleWithout(std::span<const T> ascending, T left_out) {
  const auto place = static_cast<std::size_t>(
      std::lower_bound(ascending.begin(), ascending.end(), left_out) - ascending.begin());
  const auto at = [&](std::size_t i) { return ascending[i < place ? i : i + 1]; };
  const std::size_t count = ascending.size() - 1;
  if (count % 2 == 1) return at(count / 2);
  const T below = at(count / 2 - 1);
  return below + (at(count / 2) - below) / 2;
}

}  // namespace rankscope
