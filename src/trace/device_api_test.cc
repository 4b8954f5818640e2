#include "trace/device_api.h"

#include <gtest/gtest.h>

namespace rankscope {
namespace {

TEST(IsLaunchCall, OfEveryVendor) {
  for (const char* name :
       {"cudaLaunchKernel", "cudaLaunchKernelExC", "cuLaunchKernel", "cuLaunchKernelEx",
        "cudaLaunchCooperativeKernel", "cudaGraphLaunch", "cuGraphLaunch", "hipLaunchKernel",
        "hipExtModuleLaunchKernel", "hipModuleLaunchKernel", "hipGraphLaunch", "cudaMemcpyAsync",
        "cuMemcpyDtoHAsync_v2", "hipMemcpyWithStream", "cudaMemsetAsync", "cudaMemcpy",
        "runFunction - job_prep_and_submit_for_execution", "Node@launch"})
    EXPECT_TRUE(IsLaunchCall(name)) << name;
  for (const char* name :
       {"cudaStreamSynchronize", "cudaFuncGetAttributes", "cudaEventRecord", "cudaMalloc",
        "cudaGraphAddMemcpyNode", "hipPointerGetAttributes", "AscendCL@aclrtMemcpy"})
    EXPECT_FALSE(IsLaunchCall(name)) << name;
}

TEST(ScopeOfSynchronizeCall, IsInTheName) {
  EXPECT_EQ(ScopeOfSynchronizeCall("cudaDeviceSynchronize"), SyncScope::kDevice);
  EXPECT_EQ(ScopeOfSynchronizeCall("cuCtxSynchronize"), SyncScope::kDevice);
  EXPECT_EQ(ScopeOfSynchronizeCall("hipStreamSynchronize"), SyncScope::kStream);
  EXPECT_EQ(ScopeOfSynchronizeCall("cudaEventSynchronize"), SyncScope::kEvent);
  EXPECT_EQ(ScopeOfSynchronizeCall("AscendCL@aclrtSynchronizeStreamWithTimeout"),
            SyncScope::kStream);
}

TEST(AllocatorAction, OfEveryVendor) {
  EXPECT_EQ(AllocatorAction("cudaMalloc"), "allocate");
  EXPECT_EQ(AllocatorAction("hipHostMalloc"), "allocate");
  EXPECT_EQ(AllocatorAction("cudaFree"), "free");
  EXPECT_EQ(AllocatorAction("cuMemUnmap"), "map");
  EXPECT_EQ(AllocatorAction("cudaHostRegister"), "pin");
  EXPECT_EQ(AllocatorAction("AscendCL@aclrtMalloc"), "allocate");
  EXPECT_EQ(AllocatorAction("AscendCL@aclrtFree"), "free");
  EXPECT_EQ(AllocatorAction("cudaMemcpyAsync"), std::nullopt);
  EXPECT_EQ(AllocatorAction("aten::empty"), std::nullopt);
}

TEST(IsBlockingFree, NotWhenAStreamOrdersIt) {
  for (const char* name : {"cudaFree", "cudaFreeHost", "hipFree", "hipHostFree", "cuMemFree_v2"})
    EXPECT_TRUE(IsBlockingFree(name)) << name;
  for (const char* name : {"cudaFreeAsync", "cuMemFreeAsync", "hipFreeAsync", "cuMemRelease",
                           "cudaMemPoolTrimTo", "urUSMFree", "cudaMalloc"})
    EXPECT_FALSE(IsBlockingFree(name)) << name;
}

}  // namespace
}  // namespace rankscope
