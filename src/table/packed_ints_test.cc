#include "table/packed_ints.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace rankscope {
namespace {

constexpr std::size_t kBlock = PackedInts::kBlock;
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

using Numbers = std::vector<std::int64_t>;

// Two blocks of each width, those of 8 bytes as far apart as they can be, and some behind them.
Numbers OfAllWidths() {
  Numbers all;
  for (const std::int64_t reach : {std::int64_t{0xFF}, std::int64_t{0x100}, std::int64_t{0x10000}})
    for (std::size_t i = 0; i < 2 * kBlock; ++i)
      all.push_back(-7 + static_cast<std::int64_t>(i) * reach / static_cast<std::int64_t>(kBlock));
  for (std::size_t i = 0; i < 2 * kBlock; ++i) all.push_back(i % 2 == 0 ? kLeast : kMost);
  for (std::int64_t i = 0; i < 100; ++i) all.push_back(i * i);
  return all;
}

PackedInts PackedOf(const Numbers& numbers) {
  PackedInts packed;
  for (const std::int64_t number : numbers) packed.PushBack(number);
  return packed;
}

void ExpectEqual(PackedInts packed, const Numbers& expected) {
  ASSERT_EQ(packed.size(), expected.size());
  EXPECT_EQ(packed.empty(), expected.empty());
  for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(packed[i], expected[i]) << i;
  Numbers each;
  packed.ForEach([&](std::int64_t number) { each.push_back(number); });
  EXPECT_EQ(each, expected);
  EXPECT_EQ(packed, PackedOf(expected));
  EXPECT_EQ(packed.Take(), expected);
  EXPECT_TRUE(packed.empty());
}

TEST(PackedInts, AreThoseThatWereAdded) {
  ExpectEqual({}, {});
  ExpectEqual(PackedOf({5}), {5});
  ExpectEqual(PackedOf(OfAllWidths()), OfAllWidths());
}

TEST(PackedInts, TakeAsFewBytesAsTheyNeed) {
  PackedInts packed;
  for (std::size_t i = 0; i < kBlock; ++i)
    packed.PushBack(kMost - static_cast<std::int64_t>(i % 256));
  packed.PushBack(256);
  packed.PushBack(0);
  std::vector<std::pair<Packing, std::size_t>> blocks;
  packed.ForEachPacked([&](const Packing& packing, std::span<const std::uint8_t> deltas) {
    blocks.emplace_back(packing, deltas.size());
  });
  EXPECT_EQ(blocks, (std::vector<std::pair<Packing, std::size_t>>{{{kMost - 255, 1}, kBlock},
                                                                  {{0, 2}, 2 * 2}}));
}

TEST(PackedInts, AppendedToOthers) {
  const Numbers all = OfAllWidths();
  for (const std::size_t first : {std::size_t{0}, std::size_t{1}, kBlock, kBlock + 3}) {
    PackedInts packed = PackedOf({all.begin(), all.begin() + static_cast<std::ptrdiff_t>(first)});
    packed.Append(PackedOf({all.begin() + static_cast<std::ptrdiff_t>(first), all.end()}));
    ExpectEqual(packed, all);
  }
}

TEST(PackedInts, Truncated) {
  const Numbers all = OfAllWidths();
  for (const std::size_t count : {std::size_t{0}, std::size_t{1}, kBlock - 1, kBlock, kBlock + 1,
                                  all.size() - 1, all.size()}) {
    PackedInts packed = PackedOf(all);
    packed.Truncate(count);
    ExpectEqual(packed, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)});
  }
}

TEST(PackedInts, AddedAsTheyLie) {
  const Numbers all = OfAllWidths();
  PackedInts packed;
  PackedOf(all).ForEachPacked([&](const Packing& packing, std::span<const std::uint8_t> deltas) {
    packed.AddPacked(packing, deltas);
  });
  ExpectEqual(packed, all);
}

}  // namespace
}  // namespace rankscope
