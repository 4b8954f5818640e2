// memory-leak: device memory grows from step to step.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// From 1 GB on, so many bytes more after each step.
Body Grows(std::int64_t bytes, std::int64_t level = 1'000'000'000) {
  return [=](Program& of, int step) {
    of.Products(10);
    of.Memory(bytes, level + step * bytes);
  };
}

// 10 MB more after each step: from 1.05 GB to what the device has, or to the 80 GB of which it is
// taken to be.
TEST(MemoryLeak, IsFullInSoManySteps) {
  const Told told = TellOf(Grows(10'000'000));
  EXPECT_EQ(told.ids, "memory-leak ");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_EQ(told.gain, 0);
  EXPECT_EQ(told.title,
            "allocated memory grows by 10 MB with every step on all ranks: at this rate 80 GB "
            "(assumed: the traces do not state what the device has) are full in 7895 steps");
  EXPECT_EQ(TellOf(Grows(10'000'000), 6, 24'000'000'000).title,
            "allocated memory grows by 10 MB with every step on all ranks: at this rate 24 GB are "
            "full in 2295 steps");
}

TEST(MemoryLeak, LessThanAMegabyteAStep) {
  EXPECT_EQ(TellOf(Grows(1'100'000, 10'000'000)).ids, "memory-leak ");
  EXPECT_EQ(TellOf(Grows(900'000, 10'000'000)).ids, "");
}

// 5 x 2 MB of 10 GB are 0.1 %.
TEST(MemoryLeak, LittleAgainstTheLevel) {
  EXPECT_EQ(TellOf(Grows(2'000'000, 10'000'000'000)).ids, "");
}

// Up and down: its slope is likely by chance.
TEST(MemoryLeak, WhatGoesUpAndDownIsNone) {
  EXPECT_EQ(TellOf([](Program& of, int step) {
              of.Products(10);
              of.Memory(1, 1'000'000'000 + (step % 2 == 0 ? 0 : 100'000'000) + step * 2'000'000);
            }).ids,
            "");
}

}  // namespace
}  // namespace rankscope
