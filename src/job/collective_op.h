// Ops of collectives, from the names given by PyTorch's profiler, NCCL and custom kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

enum class CollectiveOp : std::uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kBarrier,
  kSend,
  kReceive,
  kSendReceive,  // point-to-point work of both directions in one kernel
  kUnknown
};
inline constexpr int kCollectiveOpCount = 13;
std::string_view ToString(CollectiveOp op);  // "all_reduce", ...

// By the argument "Collective name" or an op's name: "allreduce", "_allgather_base",
// "reduce_scatter_tensor_coalesced", "all_to_allv", "c10d::alltoall_base_", "gloo:all_reduce".
CollectiveOp OpOfName(std::string_view name);
// By a kernel: "ncclDevKernel_AllReduce_Sum_f32_RING_LL(...)", "cross_device_reduce_1stage",
// "multimem_all_reduce_kernel". NCCL does all-to-all by sends and receives: kSendReceive.
CollectiveOp OpOfKernel(std::string_view kernel);

constexpr bool IsPointToPoint(CollectiveOp op) {
  return op == CollectiveOp::kSend || op == CollectiveOp::kReceive;
}

// Whether every member needs data from all others, so none can end before the last has begun, and
// all end together except for the last hop.
constexpr bool EndsTogether(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kAllGather ||
         op == CollectiveOp::kReduceScatter || op == CollectiveOp::kAllToAll ||
         op == CollectiveOp::kBarrier;
}

// Bytes of a dtype as collectives state it: "Float", "BFloat16", "Byte"; nullopt when unknown.
std::optional<std::int64_t> BytesOfCollectiveDtype(std::string_view dtype);

// The full buffer in bytes, as nccl-tests count it (PERFORMANCE.md there): a member's output for
// all-gather, its input for reduce-scatter, and either for the others. Elements are those of one
// member; -1 = not stated. nullopt if unknown.
std::optional<std::int64_t> BufferBytes(CollectiveOp op, std::int64_t in_elements,
                                        std::int64_t out_elements, std::int64_t element_bytes,
                                        std::int64_t members);

// Bus bandwidth / algorithm bandwidth, the traffic of the busiest link over the buffer:
// 2 (n - 1) / n for all-reduce, (n - 1) / n for all-gather, reduce-scatter and all-to-all, 1 for
// the rest.
// Source: nccl-tests, PERFORMANCE.md.
double BusFactor(CollectiveOp op, std::int64_t members);

}  // namespace rankscope
