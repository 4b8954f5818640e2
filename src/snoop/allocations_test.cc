#include "snoop/allocations.h"

#include <gmock/gmock.h>

#include <vector>

namespace rankscope::snoop {
namespace {

enum : std::uint32_t { kMalloc, kManaged, kHost, kFreeIt, kCreate, kRelease, kDriver };

std::vector<Call> TheCalls() {
  return {
      *FindCall(Level::kRuntime, "cudaMalloc"),    *FindCall(Level::kRuntime, "cudaMallocManaged"),
      *FindCall(Level::kRuntime, "cudaHostAlloc"), *FindCall(Level::kRuntime, "cudaFree"),
      *FindCall(Level::kDriver, "cuMemCreate"),    *FindCall(Level::kDriver, "cuMemRelease"),
      *FindCall(Level::kDriver, "cuMemAlloc_v2")};
}

class AllocationsTest : public testing::Test {
 protected:
  void Allocate(std::uint32_t call, std::uint64_t address, std::uint64_t bytes, int status = 0,
                std::uint64_t stack = 1) {
    book_.Add({.time_ns = now_ += 10,
               .address = address,
               .bytes = bytes,
               .stack = stack,
               .thread = 7,
               .call = call,
               .status = status,
               .kind = kAllocate});
  }
  void Free(std::uint32_t call, std::uint64_t address) {
    book_.Add(
        {.time_ns = now_ += 10, .address = address, .thread = 7, .call = call, .kind = kFree});
  }
  MemoryTotals Of(Level level, Where where = Where::kDevice) {
    const auto found = book_.totals().find({level, where});
    return found == book_.totals().end() ? MemoryTotals() : found->second;
  }

  const std::vector<Call> calls_ = TheCalls();
  std::uint64_t now_ = 1000;
  Allocations book_{calls_, 1000, 400};
};

TEST_F(AllocationsTest, WhatIsFreedIsNoLongerLive) {
  Allocate(kMalloc, 0x100, 64);
  Allocate(kMalloc, 0x200, 32);
  Free(kFreeIt, 0x100);
  const MemoryTotals totals = Of(Level::kRuntime);
  EXPECT_EQ(totals.allocated, 2U);
  EXPECT_EQ(totals.allocated_bytes, 96U);
  EXPECT_EQ(totals.freed_bytes, 64U);
  EXPECT_EQ(totals.live_bytes, 32U);
  EXPECT_EQ(totals.peak_bytes, 96U);
  EXPECT_EQ(totals.peak_ns, 1020);
  ASSERT_EQ(book_.LiveNow().size(), 1U);
  EXPECT_EQ(book_.LiveNow()[0].address, 0x200U);
}

TEST_F(AllocationsTest, WhatFailedIsNoAllocation) {
  Allocate(kMalloc, 0, 1 << 30, 2);
  Allocate(kMalloc, 0, 1 << 30, 2);
  Allocate(kMalloc, 0x100, 8);
  EXPECT_EQ(Of(Level::kRuntime).allocated, 1U);
  const AllocationSum& sum = book_.sites().at({kMalloc, 1});
  EXPECT_EQ(sum.failed, 2U);
  EXPECT_EQ(sum.failed_bytes, 2ULL << 30);
  EXPECT_EQ(sum.errors.at(2), 2U);
  EXPECT_EQ(sum.count, 1U);
}

TEST_F(AllocationsTest, AFreeOfWhatWasBeforeChangesNothingElse) {
  Free(kFreeIt, 0x900);
  Allocate(kMalloc, 0x100, 8);
  EXPECT_EQ(Of(Level::kRuntime).unknown_frees, 1U);
  EXPECT_EQ(Of(Level::kRuntime).live_bytes, 8U);
}

TEST_F(AllocationsTest, ManagedMemoryIsFreedByTheSameCallAndHostMemoryCountsApart) {
  Allocate(kManaged, 0x100, 8);
  Allocate(kHost, 0x200, 16);
  Free(kFreeIt, 0x100);
  EXPECT_EQ(Of(Level::kRuntime).live_bytes, 0U);
  EXPECT_EQ(Of(Level::kRuntime, Where::kHost).live_bytes, 16U);
}

TEST_F(AllocationsTest, LevelsAndHandlesAreNeverMixed) {
  Allocate(kDriver, 0x100, 8);
  Allocate(kMalloc, 0x100, 8);
  Allocate(kCreate, 0x100, 2 << 20);
  Free(kFreeIt, 0x100);
  EXPECT_EQ(Of(Level::kRuntime).live_bytes, 0U);
  EXPECT_EQ(Of(Level::kDriver).live_bytes, 8U);
  EXPECT_EQ(Of(Level::kDriver, Where::kPhysical).live_bytes, 2U << 20);
  Free(kRelease, 0x100);
  EXPECT_EQ(Of(Level::kDriver, Where::kPhysical).live_bytes, 0U);
  EXPECT_EQ(Of(Level::kDriver).live_bytes, 8U);
}

TEST_F(AllocationsTest, AnAddressThatComesAgainWasFreedUnseen) {
  Allocate(kMalloc, 0x100, 8);
  Allocate(kMalloc, 0x100, 32);
  const MemoryTotals totals = Of(Level::kRuntime);
  EXPECT_EQ(totals.replaced, 1U);
  EXPECT_EQ(totals.replaced_bytes, 8U);
  EXPECT_EQ(totals.live_bytes, 32U);
  EXPECT_EQ(totals.allocated_bytes, totals.freed_bytes + totals.replaced_bytes + totals.live_bytes);
}

TEST_F(AllocationsTest, ATimelineHasTheHighestAndTheLastOfEachPart) {
  // A window of 400 ns in 400 parts.
  Allocate(kMalloc, 0x100, 8);
  Allocate(kMalloc, 0x200, 8);
  Free(kFreeIt, 0x100);
  const std::vector<Timeline::Part> parts =
      book_.timelines().at({Level::kRuntime, Where::kDevice}).PartsUntil(1100);
  ASSERT_EQ(parts.size(), 100U);
  EXPECT_EQ(parts[9].highest, 0U);
  EXPECT_EQ(parts[10].highest, 8U);
  EXPECT_EQ(parts[20].last, 16U);
  EXPECT_EQ(parts[99].last, 8U);
}

TEST(TimelineTest, SeveralChangesInAPartKeepTheHighest) {
  Timeline timeline(0, 400 * 100);
  timeline.Set(10, 5);
  timeline.Set(20, 50);
  timeline.Set(30, 7);
  timeline.Set(250, 9);
  const std::vector<Timeline::Part> parts = timeline.PartsUntil(400);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].highest, 50U);
  EXPECT_EQ(parts[0].last, 7U);
  EXPECT_EQ(parts[1].highest, 7U);
  EXPECT_EQ(parts[2].last, 9U);
  EXPECT_EQ(parts[3].last, 9U);
}

}  // namespace
}  // namespace rankscope::snoop
