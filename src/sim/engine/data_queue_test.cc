#include "sim/engine/data_queue.h"

#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

TEST(DataQueue, WorkersThatAreFastEnoughAreNeverWaitedFor) {
  DataQueue queue;
  for (std::int64_t now = 1000; now < 100'000; now += 100) {
    EXPECT_EQ(queue.Take(now, 90, 0), now);
  }
}

TEST(DataQueue, SlowWorkersDecideThePace) {
  DataQueue queue;
  std::int64_t now = queue.Take(10'000, 300, 200);
  EXPECT_EQ(now, 10'200);  // it lagged before, too
  for (int batch = 0; batch < 5; ++batch) now = queue.Take(now + 100, 300, 200);
  EXPECT_EQ(now, 10'200 + 5 * 300);
}

TEST(DataQueue, WhatTheQueueHoldsComesAtOnce) {
  DataQueue queue;
  std::int64_t now = 0;
  for (std::size_t batch = 0; batch < DataQueue::kBatches; ++batch) {
    EXPECT_EQ(queue.Take(now + 10, 50, 0), now + 10);
    now += 10;
  }
  EXPECT_EQ(now, 80);
  // The first place became free at 10 and its batch took 50; then one after the other.
  EXPECT_EQ(queue.Take(90, 50, 0), 90);
  EXPECT_EQ(queue.Take(95, 50, 0), 110);
  EXPECT_EQ(queue.Take(115, 50, 0), 160);
}

}  // namespace
}  // namespace rankscope::sim
