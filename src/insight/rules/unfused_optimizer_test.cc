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

TEST(UnfusedOptimizer, SaysWhatLaunchingTakes) {
  EXPECT_NE(TellOf(Updates(60, 2, "aten::addcmul_"))
                .title.find("120 us in all; launching them takes the host 586 us"),
            std::string::npos)
      << TellOf(Updates(60, 2, "aten::addcmul_")).title;
}

TEST(UnfusedOptimizer, BeginsAt48Kernels) {
  EXPECT_TRUE(TellOf(Updates(48, 20, "aten::addcmul_")).Has("unfused-optimizer"));
  EXPECT_FALSE(TellOf(Updates(47, 20, "aten::addcmul_")).Has("unfused-optimizer"));
}

TEST(UnfusedOptimizer, ForeachIsNoCause) {
  EXPECT_FALSE(TellOf(Updates(60, 20, "aten::_foreach_addcmul_")).Has("unfused-optimizer"));
}

// What the host does for 600 us before the optimizer's first launch is none of it: the gain is no
// more than the optimizer takes.
TEST(UnfusedOptimizer, GainsNoMoreThanItTakes) {
  for (const std::int64_t before_us : {150, 600}) {
    const Told told = TellOf([&](Program& of, int) {
      of.Product();
      of.Idles(before_us);
      of.Range("Optimizer.step#SGD.step", [&] {
        for (int i = 0; i < 60; ++i) of.Op("aten::add_", "elementwise_kernel", 2);
      });
    });
    // 60 ops of 10 us each.
    EXPECT_GT(told.gains.at("unfused-optimizer"), 0);
    EXPECT_LE(told.gains.at("unfused-optimizer") / 100 * told.mean_step, 600) << before_us;
  }
}

// An average of weights: mul_ and add_ for each of 30 parameters, behind the backward.
TEST(UnfusedOptimizer, AnAverageOfWeights) {
  const auto averages = [](std::string_view first, std::string_view second) {
    return TellOf([=](Program& of, int step) {
      of.Records("aten::mm", step + 1, [&] { of.Products(10); });
      of.Evaluates("MmBackward0", step + 1, [&] { of.Products(10); });
      for (int i = 0; i < 30; ++i) {
        of.Op(first, "elementwise_kernel", 20);
        of.Op(second, "elementwise_kernel", 20);
      }
    });
  };
  const Told told = averages("aten::mul_", "aten::add_");
  EXPECT_TRUE(told.Has("unfused-optimizer")) << told.all;
  // Two fifths of 60 x 20 us; the host is ahead.
  EXPECT_NEAR(told.gains.at("unfused-optimizer"), 100 * 480 / told.mean_step, 0.5);
  EXPECT_FALSE(averages("aten::gelu", "aten::relu").Has("unfused-optimizer"));
}

// The same kernels outside of the optimizer's range.
TEST(UnfusedOptimizer, OtherKernelsAreNoUpdates) {
  EXPECT_FALSE(TellOf([](Program& of, int) {
                 of.Products(10);
                 for (int i = 0; i < 60; ++i) of.Op("aten::addcmul_", "elementwise_kernel", 20);
               }).Has("unfused-optimizer"));
}

// A group for each parameter: foreach ops have one tensor at a time.
TEST(UnfusedOptimizer, SmallGroupsOfAnOptimizerThatTakesLists) {
  const auto groups = [](int kernels, std::int64_t us, std::string_view shapes) {
    return TellOf([=](Program& of, int) {
      of.Products(4);
      of.Range("Optimizer.step#AdamW.step", [&] {
        for (int i = 0; i < kernels; ++i)
          of.Op("aten::_foreach_mul_", "multi_tensor_apply_kernel", us, shapes);
      });
    });
  };
  const Told told = groups(200, 5, "[[[512,512]],[]]");
  EXPECT_EQ(told.first(), "unfused-optimizer") << told.ids;
  EXPECT_NE(told.title.find("200 kernels a step, one per operation and small group of parameters"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("Few groups"), std::string::npos) << told.change;
  // Without shapes short kernels tell it; long ones of many tensors are how it should be.
  EXPECT_TRUE(groups(200, 5, "").Has("unfused-optimizer"));
  EXPECT_FALSE(groups(200, 30, "").Has("unfused-optimizer"));
  EXPECT_FALSE(groups(200, 30, "[[[512,512],[512]],[]]").Has("unfused-optimizer"));
  EXPECT_FALSE(groups(100, 5, "[[[512,512]],[]]").Has("unfused-optimizer"));
}

}  // namespace
}  // namespace rankscope
