// recomputation: activation checkpointing.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

// Forward of eight products; backward does four of them again, and then its own.
Body TrainsRecomputation(bool checkpoints) {
  return [=](Program& of, int) {
    of.Products(8);
    if (checkpoints)
      of.Frame("torch/utils/checkpoint.py(1127): recompute_fn", [&] { of.Products(4); });
    of.Products(8);
  };
}

TEST(Recomputation, GainsWhatIsDoneAgain) {
  const Told told = TellOf(TrainsRecomputation(true));
  EXPECT_EQ(told.all, "recomputation ");
  EXPECT_NE(told.title.find("4 kernels a step, 400 us in all"), std::string::npos) << told.title;
  EXPECT_NEAR(told.gain, 100 * (1 - TellOf(TrainsRecomputation(false)).mean_step / told.mean_step),
              0.5);
}

// Memory may be short: who trades time for it on purpose is not alarmed.
TEST(Recomputation, IsOfLowSeverityHoweverMuchItGains) {
  const Told told = TellOf(TrainsRecomputation(true));
  EXPECT_GT(told.gain, 15);
  EXPECT_EQ(told.ids, "");
}

TEST(Recomputation, IsNotWhereNothingIsDoneAgain) {
  EXPECT_FALSE(TellOf(TrainsRecomputation(false)).Has("recomputation"));
}

}  // namespace
}  // namespace rankscope
