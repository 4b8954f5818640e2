#include "store/shared_turn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "base/until.h"

namespace rankscope::store {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST(SharedTurn, WritesForAllThatCameMeanwhile) {
  SharedTurn<int> turn;
  std::atomic<bool> has_begun = false;
  std::vector<std::vector<int>> written;
  const auto write = [&](std::span<int* const> items) {
    has_begun = true;
    if (written.empty()) Until([&] { return turn.waiting() == 3; });
    written.emplace_back();
    for (const int* item : items) written.back().push_back(*item);
  };
  int first = 0;
  std::vector<int> numbers = {1, 2, 3};
  std::vector<std::thread> threads;
  threads.emplace_back([&] { turn.Join(first, write); });
  ASSERT_TRUE(Until([&] { return has_begun.load(); }));
  for (int& number : numbers) threads.emplace_back([&] { turn.Join(number, write); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(written, ElementsAre(ElementsAre(0), UnorderedElementsAre(1, 2, 3)));
}

TEST(SharedTurn, AnExceptionEndsItsTurnAlone) {
  SharedTurn<int> turn;
  int item = 1;
  EXPECT_THROW(turn.Join(item, [](std::span<int* const>) { throw std::runtime_error("no room"); }),
               std::runtime_error);
  int seen = 0;
  turn.Join(item, [&](std::span<int* const> items) { seen = *items[0]; });
  EXPECT_EQ(seen, 1);
}

}  // namespace
}  // namespace rankscope::store
