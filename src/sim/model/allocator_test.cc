#include "sim/model/allocator.h"

#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

TEST(CachingAllocator, ReusesFreedBlocksOfTheSameSize) {
  CachingAllocator allocator(1000, 1000);
  bool asked = false;
  const Block first = allocator.Allocate(30 * kMiB, &asked);
  EXPECT_TRUE(asked);
  EXPECT_EQ(allocator.reserved_bytes(), 1000 + 30 * kMiB);
  EXPECT_EQ(allocator.allocated_bytes(), 1000 + 30 * kMiB);
  allocator.Free(first);
  EXPECT_EQ(allocator.allocated_bytes(), 1000);
  EXPECT_EQ(allocator.Allocate(30 * kMiB - 100, &asked).address, first.address);
  EXPECT_FALSE(asked);
  EXPECT_NE(allocator.Allocate(30 * kMiB, &asked).address, first.address);
  EXPECT_TRUE(asked);
  EXPECT_EQ(allocator.reserved_bytes(), 1000 + 60 * kMiB);
}

TEST(CachingAllocator, SmallBlocksShareSegments) {
  CachingAllocator allocator(0, 0);
  bool asked = false;
  const Block first = allocator.Allocate(1, &asked);
  EXPECT_TRUE(asked);
  EXPECT_EQ(first.bytes, 512);
  EXPECT_EQ(allocator.reserved_bytes(), 2 * kMiB);
  const Block second = allocator.Allocate(kMiB, &asked);
  EXPECT_FALSE(asked);
  EXPECT_EQ(second.address, first.address + 512);
  allocator.Allocate(kMiB, &asked);
  EXPECT_TRUE(asked);  // what is left of the segment is less
  EXPECT_EQ(allocator.reserved_bytes(), 4 * kMiB);
  allocator.Allocate(5 * kMiB, &asked);
  EXPECT_EQ(allocator.reserved_bytes(), 24 * kMiB);
}

}  // namespace
}  // namespace rankscope::sim
