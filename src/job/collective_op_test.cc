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

}  // namespace
}  // namespace rankscope
