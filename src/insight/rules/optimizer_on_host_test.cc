// optimizer-on-host: gradients go down, the host computes, parameters come up.
#include <gtest/gtest.h>

#include "insight/job_plan_for_test.h"

namespace rankscope {
namespace {

Told Steps(std::string_view op, bool comes_back) {
  const Body body = [=](Program& of, int) {
    of.Products(2);
    for (int i = 0; i < 2; ++i)
      of.Op("autograd::engine::evaluate_function: MmBackward0", "gemm", 100);
    of.Copy("Memcpy DtoH (Device -> Pinned)", 100);
    of.Synchronise("cudaStreamSynchronize");
    of.HostOp(op, 1500);
    if (comes_back) of.Copy("Memcpy HtoD (Pinned -> Device)", 100);
  };
  return TellOf(body);
}

TEST(OptimizerOnHost, BetweenCopiesDownAndUp) {
  const Told told = Steps("DeepSpeedCPUAdam.step", true);
  EXPECT_EQ(told.first(), "optimizer-on-host");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_GT(told.gain, 40);
}

// Op by op, each of which is short; one group's update runs on the device, in the same op.
TEST(OptimizerOnHost, InOpsThatLaunchElsewhere) {
  const Told told = TellOf([](Program& of, int) {
    of.Products(2);
    for (int i = 0; i < 2; ++i)
      of.Op("autograd::engine::evaluate_function: MmBackward0", "gemm", 100);
    of.Op("aten::_fused_adamw_", "multi_tensor_apply_kernel", 20);
    of.Copy("Memcpy DtoH (Device -> Pinned)", 400);
    of.Synchronise("cudaStreamSynchronize");
    for (int i = 0; i < 4; ++i) of.HostOp("aten::_fused_adamw_", 500);
    of.Copy("Memcpy HtoD (Pinned -> Device)", 400);
  });
  EXPECT_EQ(told.first(), "optimizer-on-host") << told.all;
  EXPECT_NEAR(told.gain, 100 * 2800 / told.mean_step, 1) << told.title;
}

// The step's mark ends with the optimizer: what it made goes back at the begin of the next one,
// launched in no op, right behind it. A batch alone is none of it.
TEST(OptimizerOnHost, WhatGoesBackInTheNextStep) {
  const auto told = [](std::int64_t up_us) {
    return TellOf([=](Program& of, int step) {
      if (step > 0) of.Copy("Memcpy HtoD (Pinned -> Device)", up_us);
      of.Products(2);
      for (int i = 0; i < 2; ++i)
        of.Op("autograd::engine::evaluate_function: MmBackward0", "gemm", 100);
      of.Copy("Memcpy DtoH (Device -> Pinned)", 400);
      of.Synchronise("cudaStreamSynchronize");
      of.HostOp("deepspeed::adam_update", 1500);
    });
  };
  EXPECT_EQ(told(400).first(), "optimizer-on-host") << told(400).all;
  EXPECT_FALSE(told(60).Has("optimizer-on-host")) << told(60).all;
}

TEST(OptimizerOnHost, ByTheArithmeticOfOne) {
  EXPECT_EQ(Steps("aten::addcdiv_", true).first(), "optimizer-on-host");
}

TEST(OptimizerOnHost, OtherWorkIsNone) {
  EXPECT_FALSE(Steps("log_metrics", true).Has("optimizer-on-host"));
}

// The loss is read and the next batch comes: a few bytes go down, and a lambda runs between.
TEST(OptimizerOnHost, ALossThatIsReadIsNoGradient) {
  const Body body = [](Program& of, int) {
    of.Products(2);
    for (int i = 0; i < 2; ++i)
      of.Op("autograd::engine::evaluate_function: MmBackward0", "gemm", 100);
    of.Copy("Memcpy DtoH (Device -> Pinned)", 1);
    of.Synchronise("cudaStreamSynchronize");
    of.HostOp("Optimizer.step#AdamW.step", 1500);
    of.Copy("Memcpy HtoD (Pinned -> Device)", 100);
  };
  EXPECT_FALSE(TellOf(body).Has("optimizer-on-host"));
  EXPECT_FALSE(Steps("train.py(33): <lambda>", true).Has("optimizer-on-host"));
}

// FSDP's offload: gradients go down beside the backward, parameters come back layer by layer, and
// ops that update all tensors launch nothing.
TEST(OptimizerOnHost, OpsThatLaunchNothing) {
  const Told told = TellOf([](Program& of, int) {
    of.Products(2);
    for (int i = 0; i < 2; ++i)
      of.Op("autograd::engine::evaluate_function: MmBackward0", "gemm", 100);
    of.Synchronise("cudaStreamSynchronize");
    of.HostOp("aten::_foreach_mul_", 700);
    of.HostOp("aten::_foreach_addcdiv_", 800);
  });
  EXPECT_EQ(told.first(), "optimizer-on-host") << told.all;
  EXPECT_NE(told.title.find("launch nothing on the device"), std::string::npos) << told.title;
}

TEST(OptimizerOnHost, NothingComesBack) {
  EXPECT_FALSE(Steps("DeepSpeedCPUAdam.step", false).Has("optimizer-on-host"));
}

}  // namespace
}  // namespace rankscope
