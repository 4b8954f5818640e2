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

// Ten products forward and backward, and behind them so many pairs of kernels of 20 us.
Told BehindTheBackward(std::string_view first, std::string_view second, bool has_products = false) {
  return TellOf([=](Program& of, int step) {
    of.Records("aten::mm", step + 1, [&] { of.Products(10); });
    of.Evaluates("MmBackward0", step + 1, [&] { of.Products(10); });
    for (int i = 0; i < 30; ++i) {
      if (has_products) of.Product();
      of.Op(first, "elementwise_kernel", 20);
      of.Op(second, "elementwise_kernel", 20);
    }
  });
}

// An average of weights: two fifths of 60 x 20 us; the host is ahead.
TEST(UnfusedOptimizer, AnAverageOfWeights) {
  const Told told = BehindTheBackward("aten::mul_", "aten::add_");
  EXPECT_EQ(told.first(), "unfused-optimizer") << told.all;
  EXPECT_FALSE(told.Has("unfused-elementwise")) << told.all;
  EXPECT_NEAR(told.gain, 100 * 480 / told.mean_step, 0.5);
  EXPECT_NE(told.change.find("get_ema_multi_avg_fn"), std::string::npos) << told.change;
}

TEST(UnfusedOptimizer, AnOptimizerOfTheProgramsOwn) {
  const Told told = BehindTheBackward("aten::mul_", "aten::addcdiv_");
  EXPECT_EQ(told.first(), "unfused-optimizer") << told.all;
  EXPECT_NEAR(told.gain, 100 * 1200 * (1 - 28.0 / 76) / told.mean_step, 0.5);
  EXPECT_NE(told.change.find("of your own"), std::string::npos) << told.change;
}

// Lists move as many bytes, and launches are not late; nor is it a chain that one kernel could do.
TEST(UnfusedOptimizer, WhatListsWouldNotMakeFaster) {
  EXPECT_EQ(BehindTheBackward("aten::lerp_", "aten::lerp_").all, "");
}

// Clipping of gradients tensor by tensor: 80 kernels of 2 us, each launched in 10.
TEST(UnfusedOptimizer, NormsOfGradientsOneByOne) {
  const Told told = TellOf([](Program& of, int step) {
    of.Records("aten::mm", step + 1, [&] { of.Products(2); });
    of.Evaluates("MmBackward0", step + 1, [&] { of.Products(2); });
    for (int i = 0; i < 40; ++i) of.Op("aten::linalg_vector_norm", "reduce_kernel", 2);
    for (int i = 0; i < 40; ++i) of.Op("aten::mul_", "elementwise_kernel", 2);
  });
  EXPECT_EQ(told.all, "unfused-optimizer ");
  EXPECT_NE(told.title.find("80 kernels a step measure and scale gradients one by one"),
            std::string::npos)
      << told.title;
  EXPECT_NE(told.change.find("clip_grad_norm_"), std::string::npos) << told.change;
}

// Another forward with residuals; ops that give new tensors.
TEST(UnfusedOptimizer, NeedsUpdatesOneBehindTheOther) {
  EXPECT_FALSE(BehindTheBackward("aten::mul_", "aten::add_", true).Has("unfused-optimizer"));
  EXPECT_FALSE(BehindTheBackward("aten::gelu", "aten::relu").Has("unfused-optimizer"));
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
