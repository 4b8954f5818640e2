// no-tensor-cores: matrix products run in fp32 on vector units.
#include <gtest/gtest.h>

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
            "100 % of the time of matrix products is in fp32 kernels that use no tensor cores");
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
