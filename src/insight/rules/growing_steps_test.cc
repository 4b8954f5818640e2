// growing-steps: each step does more than the one before it.
#include <gtest/gtest.h>

#include <array>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// The host goes through a list that is longer by `more_us` in each step, before which its device
// has run dry.
Body SearchesGrowingSteps(std::int64_t more_us) {
  return [=](Program& of, int step) {
    of.Products(8);
    of.Synchronise();
    of.HostOp("history", 400 + step * more_us);
  };
}

TEST(GrowingSteps, WhatTheFirstStepWouldNotTake) {
  const Told told = TellOf(SearchesGrowingSteps(200), 10);
  ASSERT_TRUE(told.Has("growing-steps")) << told.all;
  EXPECT_EQ(told.first(), "growing-steps") << told.all;
  // The first takes 1.36 ms, the mean of all ten 0.9 ms more.
  EXPECT_NEAR(told.gain, 100 * 0.9 / 2.26, 0.5) << told.title;
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_NE(told.title.find("what grows most is history, from 400 us to 2.20 ms a step"),
            std::string::npos)
      << told.title;
}

TEST(GrowingSteps, OfADeviceThatGetsMoreToDo) {
  const Body more = [](Program& of, int step) {
    of.Products(8);
    for (int i = 0; i < 4 * step; ++i) of.Op("aten::add", "add_" + std::to_string(i), 30);
  };
  const Told told = TellOf(more, 10);
  EXPECT_TRUE(told.Has("growing-steps")) << told.all;
}

// The same kernels, each step a little slower: the device's clocks fall.
TEST(GrowingSteps, IsNoDeviceThatSlowsDown) {
  EXPECT_FALSE(TellOf(
                   [](Program& of, int step) {
                     for (int i = 0; i < 16; ++i) of.Op("aten::mm", "gemm", 100 + 5 * step);
                   },
                   10)
                   .Has("growing-steps"));
}

// All that the host does takes longer.
TEST(GrowingSteps, IsNoHostThatSlowsDown) {
  EXPECT_FALSE(TellOf(
                   [](Program& of, int step) {
                     of.Products(2);
                     of.Synchronise();
                     for (int i = 0; i < 6; ++i)
                       of.HostOp("work_" + std::string(1, static_cast<char>('a' + i)),
                                 300 + 20 * step);
                   },
                   10)
                   .Has("growing-steps"));
}

TEST(GrowingSteps, IsNotOfStepsInAnyOrder) {
  constexpr std::array<int, 10> kMore = {3, 9, 1, 7, 0, 8, 2, 6, 4, 5};
  EXPECT_FALSE(TellOf(
                   [&](Program& of, int step) {
                     of.Products(8);
                     of.Synchronise();
                     of.HostOp("history", 400 + 200 * kMore.at(static_cast<std::size_t>(step)));
                   },
                   10)
                   .Has("growing-steps"));
  EXPECT_FALSE(TellOf(SearchesGrowingSteps(200), 4).Has("growing-steps")) << "too few steps";
  // Five steps in order are so by chance once in sixty: told where they grow much.
  EXPECT_TRUE(TellOf(SearchesGrowingSteps(200), 5).Has("growing-steps"));
  EXPECT_FALSE(TellOf(SearchesGrowingSteps(15), 5).Has("growing-steps"));
}

}  // namespace
}  // namespace rankscope
