// unfused-optimizer: the optimizer launches kernels for every parameter.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body Updates(int count, std::int64_t us, std::string_view op) {
  return [=](Program& of, int) {
    of.Products(10);
    of.Range("Optimizer.step#AdamW.step", [&] {
      for (int i = 0; i < count; ++i) of.Op(op, "elementwise_kernel", us);
    });
  };
}

// 60 updates of 20 us: a fused one moves 28 bytes where they move 76.
TEST(UnfusedOptimizer, AKernelPerOperationAndParameter) {
  ExpectFound("unfused-optimizer", "aten::addcmul_", Updates(60, 20, "aten::addcmul_"),
              Updates(1, 60 * 20 * 28 / 76, "aten::_fused_adamw_"));
}

TEST(UnfusedOptimizer, BeginsAt48Kernels) {
  EXPECT_TRUE(TellOf(Updates(48, 20, "aten::addcmul_")).Has("unfused-optimizer"));
  EXPECT_FALSE(TellOf(Updates(47, 20, "aten::addcmul_")).Has("unfused-optimizer"));
}

TEST(UnfusedOptimizer, ForeachIsNoCause) {
  EXPECT_FALSE(TellOf(Updates(60, 20, "aten::_foreach_addcmul_")).Has("unfused-optimizer"));
}

// The same kernels outside of the optimizer's range.
TEST(UnfusedOptimizer, OtherKernelsAreNoUpdates) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 of.Products(10);
                 for (int i = 0; i < 60; ++i) of.Op("aten::addcmul_", "elementwise_kernel", 20);
               }).Has("unfused-optimizer"));
}

}  // namespace
}  // namespace rankscope
