#include "base/own_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cstdlib>

#include "base/parallel.h"

namespace rankscope {
namespace {

constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

// In a process of its own, which stays bounded.
template <typename Work>
void InChild(Work work) {
  EXPECT_EXIT({ std::exit(work() ? 0 : 1); }, testing::ExitedWithCode(0), "");
}

// As an allocator takes it, past what earlier tests left free in the heap.
bool Take(std::uint64_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
         MAP_FAILED;
}

TEST(OwnMemory, WithinTheBoundMemoryIsTakenAndBeyondItNot) {
  InChild([] {
    BoundOwnMemory(64 * kMega);
    return Take(32 * kMega) && !Take(64 * kMega) && Take(16 * kMega);
  });
}

TEST(OwnMemory, WhatIsLeftIsSaid) {
  rlimit limit{};
  getrlimit(RLIMIT_DATA, &limit);
  if (limit.rlim_cur != RLIM_INFINITY) GTEST_SKIP() << "bounded from outside";
  EXPECT_EQ(AvailableOwnMemory(), UINT64_MAX);
  InChild([] {
    BoundOwnMemory(64 * kMega);
    const std::uint64_t before = AvailableOwnMemory();
    const bool is_taken = Take(32 * kMega);
    const std::uint64_t after = AvailableOwnMemory();
    return is_taken && before <= 64 * kMega && before > 60 * kMega &&
           after <= before - 32 * kMega && after > before - 36 * kMega &&
           AvailableMemory() <= after;
  });
}

TEST(OwnMemory, ATighterBoundStays) {
  InChild([] {
    BoundOwnMemory(16 * kMega);
    BoundOwnMemory(640 * kMega);
    BoundOwnMemory(UINT64_MAX);
    return AvailableOwnMemory() <= 16 * kMega;
  });
}

}  // namespace
}  // namespace rankscope
