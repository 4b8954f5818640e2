// The order in which numpy's default sort leaves equal keys.
//
// HTA sorts changes by time with pandas' sort_values, which is not stable, and computes from
// neighbours in the resulting order. Our numbers match HTA's only if our sort behaves alike:
// quicksort with median of three, insertion sort for parts of up to 16, and heap sort for parts
// that divide badly, as in numpy on any processor. (Since version 1.25 numpy has other sorts for
// AVX-512, since 2.0 for AVX2; those leave equal keys in yet another order.)
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rankscope::hta {

// numpy.argsort(keys): indices into `keys`, by ascending key. Fewer than 2^32 keys. O(n log n).
std::vector<std::uint32_t> NumpyOrder(std::span<const std::int64_t> keys);

// Sorts elements with a `ts` by it, like sort_values(by="ts").
template <typename T>
void SortByTime(std::vector<T>& items) {
  std::vector<std::int64_t> times;
  times.reserve(items.size());
  for (const T& item : items) times.push_back(item.ts);
  std::vector<T> sorted;
  sorted.reserve(items.size());
  for (const std::uint32_t place : NumpyOrder(times)) sorted.push_back(items[place]);
  items = std::move(sorted);
}

}  // namespace rankscope::hta
