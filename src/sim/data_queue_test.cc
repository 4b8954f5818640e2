#include "sim/data_queue.h"

#include <gtest/gtest.h>

namespace rankscope::sim {
namespace {

TEST(DataQueue, WorkersThatAreFastEnoughAreNeverWaitedFor) {
  DataQueue queue;
  for (std::int64_t now = 1000; now < 100'000; now += 100) {
    EXPECT_EQ(queue.Take(now, 90, false), now);
  }
}

TEST(DataQueue, SlowWorkersDecideThePaceOnceTheQueueIsEmpty) {
  DataQueue queue;
  std::int64_t now = 10'000;
  for (int batch = 0; batch < 5; ++batch) now = queue.Take(now + 100, 300, true);
  // The first batch was ready 300 after time 0.
  EXPECT_EQ(now, 10'100 + 4 * 300);
}

TEST(DataQueue, AheadByWhatTheQueueHolds) {
  DataQueue queue;
  // Batches take 50 while one is taken every 10: eight are there, then each is waited for.
  std::int64_t now = 0;
  for (std::size_t batch = 0; batch < 50; ++batch) now = queue.Take(now + 10, 50, false);
  EXPECT_NEAR(static_cast<double>(now), 50.0 * 50, 50.0 * 8);
}

}  // namespace
}  // namespace rankscope::sim
