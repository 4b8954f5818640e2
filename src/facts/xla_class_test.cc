#include "facts/xla_class.h"

#include <gtest/gtest.h>

#include "facts/kernel_rules.h"

namespace rankscope {
namespace {

using enum KernelClass;

KernelClass ClassOf(std::string_view name, std::string_view category = "kernel") {
  return KernelRules().ClassOf(name, category, false);
}

TEST(XlaClass, Collectives) {
  EXPECT_EQ(ClassOf("%all-reduce.1 = f32[1024]{0} all-reduce(%p)"), kOtherCommunication);
  EXPECT_EQ(ClassOf("collective-permute-done.3"), kOtherCommunication);
  EXPECT_EQ(ClassOf("fusion.3", "reduce-scatter fusion"), kOtherCommunication);
  EXPECT_EQ(ClassOf("%fusion.1 = bf16[8]{0} fusion(bf16[8]{0} %all-gather.3), kind=kLoop"),
            kElementwise);
}

TEST(XlaClass, Instructions) {
  EXPECT_EQ(ClassOf("%dot.4 = f32[8,8]{1,0} dot(%a, %b), lhs_contracting_dims={1}"), kGemm);
  EXPECT_EQ(ClassOf("%convolution.1 = f32[8]{0} convolution(%a, %b), window={}"), kConvolution);
  EXPECT_EQ(ClassOf("%copy.5 = f32[2]{0} copy(%gemm)"), kDataMovement);
  EXPECT_EQ(ClassOf("copy-done.5"), kMemory);
  EXPECT_EQ(ClassOf("dynamic-update-slice.1"), kDataMovement);
  EXPECT_EQ(ClassOf("%reduce.2 = f32[]{} reduce(%a, %b), to_apply=%add"), kReduction);
  EXPECT_EQ(ClassOf("%g.1 = s8[4] custom-call(%a), custom_call_target=\"__cublas$gemm\""), kGemm);
  EXPECT_EQ(ClassOf("%x.1 = s8[4] custom-call(%flash_attn), custom_call_target=\"mine\""), kOther);
}

TEST(XlaClass, Fusions) {
  EXPECT_EQ(ClassOf("%fusion.1 = bf16[8]{0} fusion(%a), kind=kOutput", "convolution fusion"),
            kConvolution);
  EXPECT_EQ(ClassOf("loop_add_fusion_2"), kElementwise);
  EXPECT_EQ(ClassOf("loop_transpose_fusion"), kDataMovement);
  EXPECT_EQ(ClassOf("input_reduce_fusion.1"), kReduction);
  EXPECT_EQ(ClassOf("gemm_fusion_dot_12"), kGemm);
  EXPECT_EQ(ClassOf("fusion.12"), kOther) << "says nothing of what it fuses";
  EXPECT_EQ(ClassOf("fusion.12", "loop fusion"), kElementwise);
}

TEST(XlaClass, NamesOfOthersKeepTheirClass) {
  EXPECT_EQ(ClassOf("ampere_sgemm_128x64_tn"), kGemm);
  EXPECT_EQ(ClassOf("void at::native::reduce_kernel<512, 1>(int)"), kReduction);
  EXPECT_EQ(ClassOf("my_kernel"), kOther);
}

}  // namespace
}  // namespace rankscope
