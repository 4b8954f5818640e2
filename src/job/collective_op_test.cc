#include "job/collective_op.h"

#include <gtest/gtest.h>

#include <utility>

namespace rankscope {
namespace {

TEST(CollectiveOp, OfNames) {
  using enum CollectiveOp;
  const std::pair<std::string_view, CollectiveOp> cases[] = {
      {"allreduce", kAllReduce},
      {"allreduce_coalesced", kAllReduce},
      {"c10d::allreduce_", kAllReduce},
      {"gloo:all_reduce", kAllReduce},
      {"_allgather_base", kAllGather},
      {"all_gather_into_tensor_coalesced", kAllGather},
      {"_reduce_scatter_base", kReduceScatter},
      {"reduce_scatter_tensor_coalesced", kReduceScatter},
      {"all_to_all", kAllToAll},
      {"all_to_allv", kAllToAll},
      {"c10d::alltoall_base_", kAllToAll},
      {"broadcast", kBroadcast},
      {"reduce", kReduce},
      {"gather", kGather},
      {"scatter", kScatter},
      {"barrier", kBarrier},
      {"send", kSend},
      {"recv", kReceive},
      {"recvAnySource", kReceive},
      {"wait", kUnknown},
      {"", kUnknown},
  };
  for (const auto& [name, op] : cases) EXPECT_EQ(OpOfName(name), op) << name;
}

TEST(CollectiveOp, OfKernels) {
  using enum CollectiveOp;
  const std::pair<std::string_view, CollectiveOp> cases[] = {
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
       kAllReduce},
      {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", kAllGather},
      {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(x)", kReduceScatter},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", kSendReceive},
      {"ncclKernel_Broadcast_RING_LL_Sum_int8_t(x)", kBroadcast},
      {"ncclDevKernel_Reduce_Sum_f32_RING_LL(x)", kReduce},
      {"ncclDevKernel_Generic(ncclDevComm*, allreduce)", kUnknown},
      {"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(x)", kAllReduce},
      {"multimem_all_reduce_kernel", kAllReduce},
      {"void deep_ep::intranode::dispatch<8, 768>(x)", kAllToAll},
      {"void deep_ep::intranode::combine<__nv_bfloat16, (int)8, (int)768, (int)4096>(x)",
       kAllToAll},
      {"void deep_ep::intranode::barrier<8>(int**, int)", kBarrier},
      {"void dpsk::ep::internode::notify_dispatch<false, 4>(int const*)", kAllToAll},
      {"void uccl::internode_ll::combine<false, 7168, 9>(void*)", kAllToAll},
      {"void hybrid_ep::dispatch_kernel<unsigned char, 8>(x)", kAllToAll},
      {"hybrid_ep::device_sync_kernel(unsigned int*)", kBarrier},
      {"nccl_ep_jit_ht_dispatch_kernel", kAllToAll},
      {"mooncake_ep_jit_dispatch_kernel", kAllToAll},
      {"EpDispatchInterNodeV1Kernel_bf16", kAllToAll},
      {"void mori::moe::EpCombineIntraNodeKernel<float>(x)", kAllToAll},
      {"void pplx::a2a_dispatch_send_kernel<16, 8, float>(x)", kSend},
      {"a2a_combine_recv_kernel", kReceive},
      {"void (anonymous namespace)::dispatchKernel<10u, true, true>(x)", kUnknown},
      {"void (anonymous namespace)::combineKernel<float, __nv_bfloat16, 16ul>(x)", kUnknown},
      {"void tensorrt_llm::kernels::moe_comm::moeA2ADispatchKernel<8>(x)", kAllToAll},
      {"c10d::nvshmem_extension::allToAllV(x)", kAllToAll},
      {"void exchangeSplitAndOffset_2d<true>(x)", kAllToAll},
      {"void (anonymous namespace)::two_shot_all_reduce_kernel_inplace<c10::BFloat16, 16, 2>(x)",
       kAllReduce},
      {"void (anonymous namespace)::multimem_one_shot_reduce_kernel<c10::BFloat16, 16>(x)",
       kReduce},
      {"void (anonymous namespace)::multimem_all_gather_kernel<16>(x)", kAllGather},
      {"void flashinfer::trtllm_mnnvl_allreduce::oneshotAllreduceFusionKernel<8>(x)", kAllReduce},
      {"void tensorrt_llm::kernels::mnnvl::rmsNormLamport<__nv_bfloat16, 1>(x)", kAllReduce},
      {"_ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_8RankDataE", kReduceScatter},
      {"userbuffers_fp16_sum_inplace_gpu_rw_ag(int, int, int)", kAllGather},
      {"userbuffers_fp16_sum_inplace_gpu_mc_rs(int, int, int)", kReduceScatter},
      {"userbuffers_fp16_sum_inplace_gpu_rw(int, int, int)", kAllReduce},
      {"kuserbuffers_pushsend(int*, int*, int4*, int4*, int)", kSend},
      {"rdxn_float_sum_on_stream_kernel(int, float*)", kAllReduce},
      {"fcollect_float_on_stream_kernel(int, float*)", kAllGather},
      {"barrier_on_stream_kernel_threadgroup(int, int)", kBarrier},
      {"void (anonymous namespace)::elementwise_kernel<int>(allreduce)", kUnknown},
  };
  for (const auto& [name, op] : cases) EXPECT_EQ(OpOfKernel(name), op) << name;
}

TEST(CollectiveOp, Dtypes) {
  EXPECT_EQ(BytesOfCollectiveDtype("Float"), 4);
  EXPECT_EQ(BytesOfCollectiveDtype("BFloat16"), 2);
  EXPECT_EQ(BytesOfCollectiveDtype("Byte"), 1);
  EXPECT_EQ(BytesOfCollectiveDtype("Float8_e4m3fn"), 1);
  EXPECT_EQ(BytesOfCollectiveDtype("Long"), 8);
  EXPECT_EQ(BytesOfCollectiveDtype("Quux"), std::nullopt);
}

// 8 members, 4 bytes: an all-gather of 100 elements each ends with 800, a reduce-scatter to 100
// each began with 800.
TEST(CollectiveOp, Buffers) {
  EXPECT_EQ(BufferBytes(CollectiveOp::kAllReduce, 100, 100, 4, 8), 400);
  EXPECT_EQ(BufferBytes(CollectiveOp::kAllGather, 100, 800, 4, 8), 3200);
  EXPECT_EQ(BufferBytes(CollectiveOp::kAllGather, 100, -1, 4, 8), 3200);
  EXPECT_EQ(BufferBytes(CollectiveOp::kReduceScatter, 800, 100, 4, 8), 3200);
  EXPECT_EQ(BufferBytes(CollectiveOp::kReduceScatter, -1, 100, 4, 8), 3200);
  EXPECT_EQ(BufferBytes(CollectiveOp::kAllToAll, 100, 120, 4, 8), 480);
  EXPECT_EQ(BufferBytes(CollectiveOp::kSend, 100, -1, 4, 2), 400);
  EXPECT_EQ(BufferBytes(CollectiveOp::kAllReduce, -1, -1, 4, 8), std::nullopt);
  EXPECT_EQ(BufferBytes(CollectiveOp::kAllReduce, INT64_MAX, 1, 4, 8), std::nullopt);
}

TEST(CollectiveOp, BusFactors) {
  EXPECT_EQ(BusFactor(CollectiveOp::kAllReduce, 8), 1.75);
  EXPECT_EQ(BusFactor(CollectiveOp::kAllGather, 8), 0.875);
  EXPECT_EQ(BusFactor(CollectiveOp::kBroadcast, 8), 1);
  EXPECT_EQ(BusFactor(CollectiveOp::kAllReduce, 1), 0);
  EXPECT_EQ(BusFactor(CollectiveOp::kAllReduce, -1), 1);
}

TEST(CollectiveOp, OfXlasInstructions) {
  EXPECT_EQ(OpOfKernel("%all-reduce.1 = f32[8]{0} all-reduce(%fusion.1)"),
            CollectiveOp::kAllReduce);
  EXPECT_EQ(OpOfKernel("reduce-scatter-start.3"), CollectiveOp::kReduceScatter);
  EXPECT_EQ(OpOfKernel("%x.1 = f32[8]{0} all-to-all(%all-gather.1)"), CollectiveOp::kAllToAll);
  EXPECT_EQ(OpOfKernel("%all-gather_fusion.1 = f32[8]{0} fusion(%p), kind=kCustom"),
            CollectiveOp::kAllGather);
  EXPECT_EQ(OpOfKernel("%collective-permute-done.2"), CollectiveOp::kSendReceive);
}

}  // namespace
}  // namespace rankscope
