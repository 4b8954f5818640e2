#include "base/chunks.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace rankscope {
namespace {

TEST(Chunks, HolesTakeNoMemoryAndNothingMoves) {
  Chunks<std::int64_t, 4> chunks;
  EXPECT_TRUE(chunks.NeedsChunk(0));
  EXPECT_EQ(chunks.Find(0), nullptr);
  chunks.Put(0, 7);
  const std::int64_t* const first = chunks.Find(0);
  chunks.Put(1'000'001, 9);
  EXPECT_EQ(chunks.Find(0), first);
  EXPECT_EQ(*first, 7);
  EXPECT_EQ(chunks[1'000'001], 9);
  // The rest of a piece is there, and 0.
  EXPECT_FALSE(chunks.NeedsChunk(3));
  EXPECT_EQ(*chunks.Find(1'000'000), 0);
  EXPECT_TRUE(chunks.NeedsChunk(4));
  EXPECT_EQ(chunks.Find(500'000), nullptr);
  EXPECT_EQ((Chunks<std::int64_t, 4>::kChunkBytes), 32u);
}

}  // namespace
}  // namespace rankscope
