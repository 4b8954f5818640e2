// unfused-attention: attention as separate products, masks and softmax.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Between the products of attention: `others` kernels of 10 us, and a softmax of 60 where there is
// one.
Body Attention(int others, bool has_softmax) {
  return [=](Program& of, int) {
    for (int i = 0; i < 6; ++i) {
      of.Op("aten::bmm", "gemm", 100);
      for (int k = 0; k < others; ++k) of.Op("aten::mul", "vectorized_elementwise_kernel", 10);
      if (has_softmax) of.Op("aten::_softmax", "softmax_warp_forward", 60);
      of.Op("aten::bmm", "gemm", 100);
      for (int k = 0; k < 4; ++k) of.Op("aten::mm", "gemm", 100);
    }
  };
}

TEST(UnfusedAttention, WhatLiesBetweenTheProductsGoes) {
  ExpectFound("unfused-attention", "aten::_softmax", Attention(5, true), Attention(0, false));
}

TEST(UnfusedAttention, WithoutSoftmaxItIsNoAttention) {
  EXPECT_FALSE(TellOf(Attention(5, false)).Has("unfused-attention"));
}

// The softmax is one of the kernels between.
TEST(UnfusedAttention, ADozenKernelsBetweenTheProductsAtMost) {
  EXPECT_TRUE(TellOf(Attention(11, true)).Has("unfused-attention"));
  EXPECT_FALSE(TellOf(Attention(12, true)).Has("unfused-attention"));
}

}  // namespace
}  // namespace rankscope
