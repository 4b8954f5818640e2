#include "sim/serving/block_pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

using testing::ElementsAre;

TEST(BlockPool, TakesAllOrNothing) {
  BlockPool pool(3);
  std::vector<std::uint32_t> blocks;
  EXPECT_FALSE(pool.Take({}, 4, blocks));
  EXPECT_TRUE(blocks.empty());
  EXPECT_TRUE(pool.Take({}, 3, blocks));
  EXPECT_EQ(pool.free(), 0);
  pool.Free(blocks);
  EXPECT_EQ(pool.free(), 3);
}

TEST(BlockPool, WhatWasUsedLongestAgoGoesFirst) {
  BlockPool pool(3);
  std::vector<std::uint32_t> first, second, fresh;
  ASSERT_TRUE(pool.Take({}, 1, first));
  ASSERT_TRUE(pool.Take({}, 1, second));
  pool.Keep(first[0], 100);
  pool.Keep(second[0], 200);
  pool.Free(second);
  pool.Free(first);
  // The third block was never used, the second is free for longer than the first.
  ASSERT_TRUE(pool.Take({}, 2, fresh));
  EXPECT_EQ(pool.Held(std::vector<std::uint64_t>{200}), 0);
  EXPECT_EQ(pool.Held(std::vector<std::uint64_t>{100, 200}), 1);
}

TEST(BlockPool, TheEndOfASequenceGoesBeforeItsBeginning) {
  BlockPool pool(2);
  std::vector<std::uint32_t> blocks, fresh;
  ASSERT_TRUE(pool.Take({}, 2, blocks));
  pool.Keep(blocks[0], 1);
  pool.Keep(blocks[1], 2);
  pool.Free(blocks);
  ASSERT_TRUE(pool.Take({}, 1, fresh));
  EXPECT_EQ(pool.Held(std::vector<std::uint64_t>{1, 2}), 1);
}

TEST(BlockPool, HeldBlocksAreSharedAndNotTakenAsFresh) {
  BlockPool pool(2);
  std::vector<std::uint32_t> blocks, again, more;
  ASSERT_TRUE(pool.Take({}, 1, blocks));
  pool.Keep(blocks[0], 7);
  const std::uint32_t held = blocks[0];
  pool.Free(blocks);
  // Two are free, but one of them is the held one.
  const std::vector<std::uint64_t> hashes = {7};
  EXPECT_FALSE(pool.Take(hashes, 2, again));
  ASSERT_TRUE(pool.Take(hashes, 1, again));
  EXPECT_EQ(again[0], held);
  EXPECT_NE(again[1], held);
  ASSERT_TRUE(pool.Take(hashes, 0, more));
  EXPECT_THAT(more, ElementsAre(held));
  pool.Free(again);
  EXPECT_EQ(pool.free(), 1);
  pool.Free(more);
  EXPECT_EQ(pool.free(), 2);
}

}  // namespace
}  // namespace rankscope::sim
