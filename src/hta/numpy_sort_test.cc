#include "hta/numpy_sort.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rankscope::hta {
namespace {

using Keys = std::vector<std::int64_t>;
using Order = std::vector<std::uint32_t>;

std::uint32_t HashOf(const Order& order) {
  std::uint32_t hash = 0;
  for (const std::uint32_t place : order) hash = hash * 31 + place;
  return hash;
}

TEST(NumpyOrder, FewKeysKeepTheirOrder) {
  EXPECT_EQ(NumpyOrder({}), Order{});
  EXPECT_EQ(NumpyOrder(Keys{3, 1, 1, 2}), (Order{1, 2, 3, 0}));
  const Keys same(16, 5);
  const Order order = NumpyOrder(same);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// By hand: the tenth of twenty equal keys is put aside, all others swap with their mirror, and what
// remains of both halves is sorted by insertion, which keeps the order.
TEST(NumpyOrder, ManyEqualKeysSwap) {
  EXPECT_EQ(NumpyOrder(Keys(20, 0)),
            (Order{0, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 18, 19}));
}

// Hashes of the orders that numpy 1.24 gives.
TEST(NumpyOrder, OfThousandsOfKeys) {
  Keys keys;
  std::uint64_t state = 1;
  for (int i = 0; i < 3000; ++i) {
    state = (state * 1103515245 + 12345) % (1U << 31);
    keys.push_back(static_cast<std::int64_t>((state >> 8) % 50));
  }
  EXPECT_EQ(HashOf(NumpyOrder(keys)), 1647203380U);
}

TEST(NumpyOrder, PartsThatDivideBadlyAreSortedByHeap) {
  Keys keys;
  for (std::int64_t i = 0; i < 1000; ++i) keys.push_back(std::min(i, 1000 - i) / 3);
  const Order order = NumpyOrder(keys);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end(),
                             [&](auto a, auto b) { return keys[a] < keys[b]; }));
  EXPECT_EQ(HashOf(order), 3931274590U);
}

}  // namespace
}  // namespace rankscope::hta
