#include "analysis/kernel_class.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(IsCommunicationKernel, ByLibraryAndOperation) {
  for (const char* name :
       {"ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        "ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t",
        "void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)",
        "multimem_all_reduce_kernel<c10::BFloat16, 16>",
        "void deep_ep::intranode::dispatch<8, 768>(int)", "one_shot_all_reduce_kernel",
        "void quickreduce::allreduce_prototype_twoshot"}) {
    EXPECT_TRUE(IsCommunicationKernel(name)) << name;
  }
}

TEST(IsCommunicationKernel, ComputationIsNot) {
  for (const char* name :
       {"ampere_bf16_s16816gemm", "void at::native::reduce_kernel<512, 1>", "softmax_warp_forward",
        "triton_red_fused_all_reduce_add_0", "Cijk_Ailk_Bljk_SB",
        "void at::native::(anonymous namespace)::cat_copy"}) {
    EXPECT_FALSE(IsCommunicationKernel(name)) << name;
  }
}

}  // namespace
}  // namespace rankscope
