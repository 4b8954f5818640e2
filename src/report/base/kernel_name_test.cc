#include "report/base/kernel_name.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(ShortKernelName, DropsWhatAllKernelsShare) {
  EXPECT_EQ(ShortKernelName("void at::native::vectorized_elementwise_kernel<4, "
                            "at::native::FillFunctor<float> >(int, float)",
                            80),
            "vectorized_elementwise_kernel<4, FillFunctor<float> >");
  EXPECT_EQ(ShortKernelName("void (anonymous namespace)::softmax<float>(float*)", 80),
            "softmax<float>");
  EXPECT_EQ(ShortKernelName(
                "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 80),
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
  EXPECT_EQ(ShortKernelName("%add_fusion.2 = f32[8]{0:T(8)} fusion(%a), kind=kLoop", 80),
            "add_fusion.2");
  EXPECT_EQ(ShortKernelName("%all-reduce.1", 80), "all-reduce.1");
  EXPECT_EQ(ShortKernelName("ampere_bf16_s16816gemm_tn", 80), "ampere_bf16_s16816gemm_tn");
  EXPECT_EQ(ShortKernelName("flat::kernel", 80), "flat::kernel");
}

TEST(ShortKernelName, KeepsOddNames) {
  EXPECT_EQ(ShortKernelName("", 10), "");
  EXPECT_EQ(ShortKernelName("(int)", 10), "(int)");
  EXPECT_EQ(ShortKernelName("f)", 10), "f)");
  EXPECT_EQ(ShortKernelName("Memcpy HtoD (Pinned -> Device)", 40),
            "Memcpy HtoD (Pinned -> Device)");
}

TEST(ShortKernelName, CutsTheEnd) { EXPECT_EQ(ShortKernelName("abcdefghij", 8), "abcde..."); }

}  // namespace
}  // namespace rankscope
