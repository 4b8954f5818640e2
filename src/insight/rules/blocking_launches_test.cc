// blocking-launches: calls that return when their kernels are over.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Each op takes its host 30 us; of `blocking` launches the call returns 5 us behind its kernel.
Told TellOfLaunches(int blocking, std::int64_t kernel_us = 100) {
  return TellOf([=](Program& of, int) {
    for (int i = 0; i < 20; ++i) {
      of.HostOp("aten::empty", 30);
      of.Launches("gemm", kernel_us, i < blocking);
    }
  });
}

TEST(BlockingLaunches, GainWhatTheHostCouldDoMeanwhile) {
  const Told told = TellOfLaunches(20);
  EXPECT_EQ(told.first(), "blocking-launches") << told.ids;
  EXPECT_NE(told.title.find("20 calls a step wait 2.00 ms in all"), std::string::npos)
      << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOfLaunches(0).mean_step / told.mean_step), 1.5);
  EXPECT_NE(told.change.find("CUDA_LAUNCH_BLOCKING"), std::string::npos) << told.change;
}

// A call may last long for its own reasons (a module that is loaded); and kernels of 3 us are over
// while an ordinary call returns.
TEST(BlockingLaunches, NeedNearlyAllCallsOfLongKernels) {
  EXPECT_FALSE(TellOfLaunches(15).Has("blocking-launches"));
  EXPECT_FALSE(TellOfLaunches(20, 3).Has("blocking-launches"));
  EXPECT_FALSE(TellOfLaunches(0).Has("blocking-launches"));
}

}  // namespace
}  // namespace rankscope
