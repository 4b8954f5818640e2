// barrier-sync: a barrier in every step.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// The host waits for a barrier between products; the device then has nothing to do.
Told Waits(std::string_view name, int every) {
  const Body body = [=](Program& of, int step) {
    of.Products(3);
    if (step % every == 0) {
      of.Collective(name, 4, 300);
      of.Synchronise("cudaStreamSynchronize");
    }
    of.Products(3);
  };
  return TellOf(body);
}

TEST(BarrierSync, InEveryStep) {
  const Told told = Waits("barrier", 1);
  EXPECT_EQ(told.first(), "barrier-sync");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_GT(told.gain, 20);
}

TEST(BarrierSync, AReductionIsNone) { EXPECT_FALSE(Waits("allreduce", 1).Has("barrier-sync")); }

TEST(BarrierSync, NotOnceInAWhile) { EXPECT_FALSE(Waits("barrier", 3).Has("barrier-sync")); }

}  // namespace
}  // namespace rankscope
