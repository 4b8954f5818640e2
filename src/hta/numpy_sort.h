// The order into which numpy's default sort brings equal keys.
//
// HTA sorts changes by time with pandas' sort_values, which is not stable, and computes from
// neighbours in the order that comes out. Numbers that depend on it are HTA's only if ours sorts
// alike: quicksort from the median of three, insertion sort for parts of up to 16, and heap sort
// for parts that divide badly, as numpy does on any processor. (Since version 1.25 numpy has other
// sorts for AVX-512, since 2.0 for AVX2; those leave equal keys in yet another order.)
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rankscope::hta {

// numpy.argsort(keys): places in `keys`, by ascending key. Less than 2^32 keys. O(n log n).
std::vector<std::uint32_t> NumpyOrder(std::span<const std::int64_t> keys);

// Sorts what has a `ts` by it, as sort_values(by="ts") does.
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
