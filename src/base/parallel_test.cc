#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <vector>

namespace rankscope {
namespace {

TEST(ParallelFor, DoesEveryPieceOnce) {
  for (const int threads : {0, 1, 3, 50}) {
    std::vector<std::atomic<int>> done(20);
    ParallelFor(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    for (const auto& count : done) EXPECT_EQ(count, 1);
  }
  ParallelFor(0, 4, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, GivesAnExceptionToItsCaller) {
  std::atomic<int> done{0};
  EXPECT_THROW(ParallelFor(1000, 3,
                           [&](std::size_t i) {
                             if (i == 5) throw std::bad_alloc();
                             ++done;
                           }),
               std::bad_alloc);
  EXPECT_LT(done, 1000);
}

TEST(MemoryBudget, LetsInWhatFits) {
  MemoryBudget budget(100);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  ParallelFor(40, 8, [&](std::size_t) {
    const MemoryBudget::Share share(budget, 40);
    const int now = ++inside;
    int seen = most;
    while (now > seen && !most.compare_exchange_weak(seen, now)) continue;
    --inside;
  });
  EXPECT_LE(most, 2);
  EXPECT_LE(budget.most_at_once(), 2U);
}

TEST(MemoryBudget, WhatIsLargerRunsAlone) {
  MemoryBudget budget(100);
  ParallelFor(8, 4, [&](std::size_t) { const MemoryBudget::Share share(budget, 1000); });
  EXPECT_EQ(budget.most_at_once(), 1U);
}

TEST(AvailableMemory, IsMoreThanThisTestNeeds) { EXPECT_GT(AvailableMemory(), 1U << 20); }

}  // namespace
}  // namespace rankscope
