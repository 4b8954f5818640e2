// no-tensor-cores: matrix products run in fp32 on vector units.
#include <gtest/gtest.h>

#include "insight/evidence/kernels/products.h"
#include "insight/program_for_test.h"

namespace rankscope {
namespace {

Body TenOf(std::string_view kernel, std::int64_t us,
           std::string_view shapes = "[[1024,1024],[1024,1024]]") {
  return [=](Program& of, int) {
    for (int i = 0; i < 10; ++i) of.Op("aten::mm", kernel, us, shapes);
  };
}

// 2 x 1024^3 FLOPs at 312 TFLOP/s take 6.883 us; at half of that 13.77 in place of 200.
TEST(NoTensorCores, ProductsInFp32) {
  const Told told = TellOf(TenOf("ampere_sgemm_128x64_nn", 200));
  EXPECT_EQ(told.ids, "no-tensor-cores ");
  EXPECT_EQ(told.ranks, "0-1");
  EXPECT_EQ(told.steps, "0-5");
  EXPECT_TRUE(told.places.starts_with(R"([{"op":"aten::mm")")) << told.places;
  EXPECT_NEAR(told.gain, 100 * 10 * (200 - 2 * 6.883) / told.mean_step, 0.25);
  EXPECT_EQ(told.title,
            "100% of the time of matrix products is in fp32 kernels that use no tensor cores");
}

// cuBLAS's fp32 kernels are of the family of those on tensor cores: told apart by ffma and types.
TEST(NoTensorCores, ProductsInFp32OfXmma) {
  const Told told = TellOf(
      TenOf("sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x128x8_stage3_warpsize2x2x1_ffma_"
            "aligna4_alignc4_execute_kernel__5x_cublas",
            200));
  EXPECT_EQ(told.ids, "no-tensor-cores ");
  EXPECT_NEAR(told.gain, 100 * 10 * (200 - 2 * 6.883) / told.mean_step, 0.25);
}

TEST(NoTensorCores, Tf32IsOnTensorCores) {
  EXPECT_FALSE(TellOf(TenOf("sm80_xmma_gemm_tf32f32_tf32f32_f32_tn_n_tilesize128x128x16_stage4_"
                            "tensor16x8x8_execute_kernel_cublas",
                            28))
                   .Has("no-tensor-cores"));
}

// A few small products on tensor cores tell nothing of what the others would reach there: one
// takes 8 us, ten in fp32 take 2000.
TEST(NoTensorCores, FewOthersTellNothing) {
  const Told told = TellOf([](Program& of, int) {
    of.Op("aten::mm", "ampere_bf16_s16816gemm_64x64", 8, "[[64,64],[64,64]]");
    for (int i = 0; i < 10; ++i)
      of.Op("aten::mm", "ampere_sgemm_128x64_nn", 200, "[[1024,1024],[1024,1024]]");
  });
  EXPECT_NEAR(told.gain, 100 * 10 * (200 - 2 * 6.883) / told.mean_step, 0.25);
}

TEST(NoTensorCores, AttentionInFp32ByItsName) {
  const auto is_one = [](std::string_view name) {
    NodeKind kind;
    kind.work = Work::kCompute;
    kind.kernel_class = KernelClass::kAttention;
    kind.name = name;
    return IsAttentionInFp32(kind);
  };
  EXPECT_TRUE(is_one("fmha_cutlassB_f32_aligned_64x64_k64_sm80(AttentionBackwardKernel<float>)"));
  EXPECT_FALSE(is_one("fmha_cutlassF_bf16_aligned_64x64_rf_sm80(AttentionKernel<bfloat16>)"));
}

// Products in fp32 of 60 us, and a host that is 90 us late with each: alone each gains little.
TEST(NoTensorCores, ToldBehindAHostThatIsLate) {
  const Told told = TellOf([](Program& of, int) {
    for (int i = 0; i < 60; ++i) {
      of.Op("aten::mm", "ampere_sgemm_128x64_nn", 60, "[[1024,1024],[1024,1024]]");
      of.HostOp("work_of_the_host", 110);
    }
  });
  EXPECT_TRUE(told.Has("no-tensor-cores")) << told.all;
}

// The same on tensor cores, at half of the roof.
TEST(NoTensorCores, ProductsOnTensorCores) {
  EXPECT_EQ(TellOf(TenOf("ampere_bf16_s16816gemm_128x64", 14)).ids, "");
}

// Plain products usually reach 80 % of 19.5 TFLOP/s, a 20th of what tensor cores could do: 10 us of
// 200, at half of the roof 20.
TEST(NoTensorCores, WithoutShapes) {
  const Told told = TellOf(TenOf("ampere_sgemm_128x64_nn", 200, ""));
  EXPECT_EQ(told.ids, "no-tensor-cores ");
  EXPECT_NEAR(told.gain, 100 * 10 * (200 - 2 * 200 * 0.8 * 19.5 / 312) / told.mean_step, 0.25);
}

// Of a matrix and a vector: bound by memory, on whichever units.
TEST(NoTensorCores, ProductsWithAVectorWithoutShapes) {
  EXPECT_EQ(TellOf(TenOf("gemv2T_kernel_val", 200, "")).ids, "");
}

}  // namespace
}  // namespace rankscope
