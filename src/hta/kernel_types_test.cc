#include "hta/kernel_types.h"

#include <gtest/gtest.h>

namespace rankscope::hta {
namespace {

TEST(KernelTypes, ByName) {
  const std::pair<std::string_view, KernelType> kExpected[] = {
      {"ampere_sgemm_128x64", KernelType::kComputation},
      {"ncclDevKernel_AllReduce_Sum_f32", KernelType::kCommunication},
      {"void ncclKernel_AllGather", KernelType::kCommunication},
      {"hcclAllReduce", KernelType::kCommunication},
      {"Memcpy DtoH (Device -> Pinned)", KernelType::kMemory},
      {"Memset (Device)", KernelType::kMemory},
      {"dma_request", KernelType::kMemory},
      // What is surprising, but HTA's.
      {"hipMemcpyAsync", KernelType::kCommunication},
      {"hip_fused_gelu", KernelType::kCommunication},
      {"batch_norm_SyncBatchNorm_forward", KernelType::kOther},
      {"my_Memcpy_kernel", KernelType::kOther},
      {"readmadness", KernelType::kOther},  // holds "dma"
      {"Stream Wait Event", KernelType::kOther},
      {"Stream Sync", KernelType::kOther},
      {"cudaLaunchKernel", KernelType::kOther},
      {"my_cudaLaunchKernel", KernelType::kComputation},
      {"vllm::cross_device_reduce_1stage", KernelType::kComputation},
      {"job_exe", KernelType::kOther},
      {"collective_subgraph_execution", KernelType::kOther},
      {"", KernelType::kComputation},
  };
  for (const auto& [name, type] : kExpected)
    EXPECT_EQ(ToString(KernelTypeOf(name)), ToString(type)) << name;
}

TEST(KernelTypes, TypesOfMemoryKernels) {
  EXPECT_EQ(MemoryTypeOf("Memset (Device)"), "Memset");
  EXPECT_EQ(MemoryTypeOf("Memcpy DtoH (Device -> Pinned)"), "Memcpy DtoH");
  EXPECT_EQ(MemoryTypeOf("Memcpy"), "Memcpy");
  EXPECT_EQ(MemoryTypeOf("dma_request"), "Memcpy Unknown");
}

}  // namespace
}  // namespace rankscope::hta
