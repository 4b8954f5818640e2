// slowing-devices: the same kernels, longer from some step on, or from step to step.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Sixteen products a step, in so many blocks, of that time.
Body ProductsSlowingDevices(const std::function<std::int64_t(int step)>& us, int blocks_more = 0) {
  return [=](Program& of, int step) {
    for (int i = 0; i < 16; ++i) {
      of.Op("aten::mm", "gemm", us(step));
      of.Blocks(512 + blocks_more * step);
    }
  };
}

TEST(SlowingDevices, FromOneStepOn) {
  // Steps 3 to 8 of nine.
  const Told told =
      TellOf(ProductsSlowingDevices([](int step) { return step < 3 ? 100 : 140; }), 9);
  EXPECT_EQ(told.first(), "slowing-devices") << told.all;
  EXPECT_NE(told.title.find("take 1.4 times as long for the same kernels from step 3 on"),
            std::string::npos)
      << told.title;
  EXPECT_EQ(told.steps, "3-8");
  // 16 x 40 us in six of nine steps.
  EXPECT_NEAR(told.gain, 100 * 16 * 40 * 6 / 9.0 / (1600 + 640 * 6 / 9.0 + 140), 1.0);
}

TEST(SlowingDevices, FromStepToStep) {
  const Told told = TellOf(ProductsSlowingDevices([](int step) { return 100 + 5 * step; }), 10);
  EXPECT_EQ(told.first(), "slowing-devices") << told.all;
  EXPECT_NE(told.title.find("1.45 times as long in the last step as in the first"),
            std::string::npos)
      << told.title;
}

// Kernels of more blocks do more.
TEST(SlowingDevices, IsNotOfOtherWork) {
  EXPECT_FALSE(TellOf(ProductsSlowingDevices([](int step) { return 100 + 5 * step; }, 8), 10)
                   .Has("slowing-devices"));
}

// A few slow steps are outliers of the others, and steps that vary have no order.
TEST(SlowingDevices, IsNotOfFewStepsNorOfThoseThatVary) {
  EXPECT_FALSE(TellOf(ProductsSlowingDevices([](int step) { return step < 7 ? 100 : 140; }), 9)
                   .Has("slowing-devices"));
  EXPECT_FALSE(TellOf(ProductsSlowingDevices([](int step) { return step % 2 == 0 ? 100 : 140; }), 9)
                   .Has("slowing-devices"));
}

// One of many kernels that is slower has another reason.
TEST(SlowingDevices, IsNotOfOneKernel) {
  EXPECT_FALSE(TellOf(
                   [](Program& of, int step) {
                     for (int i = 0; i < 16; ++i) {
                       of.Op("aten::mm", "gemm", 100);
                       of.Blocks(512);
                     }
                     of.Op("aten::gelu", "gelu", step < 3 ? 200 : 700);
                     of.Blocks(300);
                   },
                   9)
                   .Has("slowing-devices"));
}

}  // namespace
}  // namespace rankscope
