#include "fleet/rows/kernel_key.h"

#include <gtest/gtest.h>

#include <utility>

namespace rankscope::fleet {
namespace {

TEST(KernelKey, IsTheFamily) {
  const std::pair<const char*, const char*> cases[] = {
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, "
       "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<float>)",
       "at::native::vectorized_elementwise_kernel<CUDAFunctor_add>"},
      {"void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_32x6_tn_align8>("
       "cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_32x6_tn_align8::Params)",
       "cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_bf16_128x64_32x6_tn_align8>"},
      {"ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nt",
       "ampere_bf16_s16816gemm_bf16_256x128_ldg8_f2f_stages_64x3_nt"},
      {"nvjet_tst_128x256_64x4_1x2_h_bz_coopA_NTN", "nvjet_tst_128x256_64x4"},
      {"triton_poi_fused_add_12", "triton_poi_fused_add_*"},
      {"triton_red_fused__to_copy_sum_3d4", "triton_red_fused__to_copy_sum_*"},
      {"loop_fusion.7", "loop_fusion.*"},
      {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 10, false>(float*)",
       "softmax_warp_forward"},
      {"_Z9scale_addIfLi4EEvPT_i", "scale_add"},
      {"kernel(int) [clone .kd]", "kernel"},
      {"operator", "operator"},
      {"", ""},
  };
  for (const auto& [name, key] : cases) EXPECT_EQ(KernelKey(name, "compute"), key) << name;
  EXPECT_EQ(KernelKey("Memcpy HtoD (Pinned -> Device)", "copy"), "Memcpy HtoD (Pinned -> Device)");
}

TEST(KernelKey, BuildsAndCountersHaveOne) {
  EXPECT_EQ(KernelKey("triton_poi_fused_add_12", "compute"),
            KernelKey("triton_poi_fused_add_7", "compute"));
  EXPECT_NE(KernelKey("ampere_sgemm_128x64_nn", "compute"),
            KernelKey("ampere_sgemm_128x128_nn", "compute"));
}

TEST(DtypeOf, GoesByTheName) {
  EXPECT_EQ(DtypeOf("ampere_bf16_s16816gemm_bf16_256x128"), "bf16");
  EXPECT_EQ(DtypeOf("sm90_xmma_gemm_e4m3bf16_e4m3f32"), "fp8");
  EXPECT_EQ(DtypeOf("void k<c10::Half>(c10::Half*)"), "fp16");
  EXPECT_EQ(DtypeOf("void adam<float, 4>(float*, double)"), "fp32");
  EXPECT_EQ(DtypeOf("ampere_sgemm_128x64_nn"), "fp32");
  EXPECT_EQ(DtypeOf("triton_poi_fused_add_12"), "");
}

}  // namespace
}  // namespace rankscope::fleet
