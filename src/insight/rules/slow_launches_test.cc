// slow-launches: some launch calls take far longer than the others.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Twenty kernels a step, the call of the eleventh takes so long.
Body OneSlowCall(std::int64_t call_us, std::int64_t kernel_us = 20) {
  return [=](Program& of, int) {
    for (int i = 0; i < 20; ++i) {
      of.HostOp("aten::empty", 30);
      of.LaunchesSlowly("gemm", kernel_us, i == 10 ? call_us : 5);
    }
  };
}

TEST(SlowLaunches, GainWhatTheCallTakesBeyondTheOthers) {
  const Told told = TellOf(OneSlowCall(2000));
  EXPECT_EQ(told.first(), "slow-launches") << told.all;
  EXPECT_NE(told.title.find("take up to 2.00 ms on all ranks, where 5.00 us is usual"),
            std::string::npos)
      << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(OneSlowCall(5)).mean_step / told.mean_step), 1);
}

// On another rank in each step, with the others waiting for it.
TEST(SlowLaunches, OnAnotherRankFromStepToStep) {
  std::vector<Body> bodies;
  for (int rank = 0; rank < 4; ++rank) {
    bodies.push_back([=](Program& of, int step) {
      if (step % 4 != rank) of.Waits(1995);
      OneSlowCall(step % 4 == rank ? 2000 : 5)(of, step);
    });
  }
  const Told told = TellOfRanks(bodies, 9);
  EXPECT_EQ(told.first(), "slow-launches") << told.all;
  EXPECT_NE(told.title.find("on 1 of the 4 ranks, from step to step another one, where"),
            std::string::npos)
      << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(OneSlowCall(5)).mean_step / told.mean_step), 2);
}

// The device has enough to do meanwhile; and 190 us are not long.
TEST(SlowLaunches, AreNoneWhereTheDeviceIsBusyOrTheCallIsShort) {
  const Body busy = [](Program& of, int step) {
    of.Products(30);
    OneSlowCall(2000, 20)(of, step);
  };
  EXPECT_FALSE(TellOf(busy).Has("slow-launches"));
  EXPECT_FALSE(TellOf(OneSlowCall(190)).Has("slow-launches"));
}

// Thirty products fill the queue for 3 ms, and the call waits for room in it: what it launched
// begins 700 us after it returned. The host is late behind it, but could not have come sooner.
TEST(SlowLaunches, WaitingForRoomInTheQueueIsNone) {
  const auto with_host_behind = [](int products) {
    return [=](Program& of, int) {
      of.Products(products);
      of.LaunchesSlowly("gemm", 20, 2000);
      of.HostOp("aten::index", 2500);
      for (int i = 0; i < 30; ++i) of.LaunchesSlowly("gemm", 20, 5);
    };
  };
  EXPECT_FALSE(TellOf(with_host_behind(30)).Has("slow-launches"));
  // With room in the queue it is one.
  EXPECT_TRUE(TellOf(with_host_behind(3)).Has("slow-launches"));
}

}  // namespace
}  // namespace rankscope
