#include "formats/kineto/kinds.h"

#include <gtest/gtest.h>

namespace rankscope::kineto {
namespace {

TEST(Kinds, OneNameForEachVendorAndGeneration) {
  for (const char* category : {"cpu_op", "Operator"})
    EXPECT_EQ(KindOfCategory(category), EventKind::kCpuOp);
  for (const char* category :
       {"cuda_runtime", "cuda_driver", "Runtime", "hip_runtime", "mtia_runtime", "xpu_runtime"})
    EXPECT_EQ(KindOfCategory(category), EventKind::kRuntime);
  for (const char* category : {"kernel", "Kernel"})
    EXPECT_EQ(KindOfCategory(category), EventKind::kKernel);
  EXPECT_EQ(KindOfCategory("gpu_memcpy"), EventKind::kMemcpy);
  EXPECT_EQ(KindOfCategory("Memset"), EventKind::kMemset);
  EXPECT_EQ(KindOfCategory("cuda_sync"), EventKind::kDeviceSync);
  EXPECT_EQ(KindOfCategory("python_function"), EventKind::kPythonFunction);
}

TEST(Kinds, AnythingElseIsOther) {
  for (const char* category : {"", "Trace", "KERNEL", "kernel ", "cpu_op2", "fwdbwd"})
    EXPECT_EQ(KindOfCategory(category), EventKind::kOther) << category;
}

TEST(Kinds, MtiaWorkIsToldByItsName) {
  EXPECT_EQ(KindOfMtiaWork("event_wait"), EventKind::kDeviceSync);
  EXPECT_EQ(KindOfMtiaWork("event_record"), EventKind::kDeviceSync);
  EXPECT_EQ(KindOfMtiaWork("dma_h2d"), EventKind::kMemcpy);
  EXPECT_EQ(KindOfMtiaWork("matmul"), EventKind::kKernel);
  EXPECT_EQ(KindOfMtiaWork(""), EventKind::kKernel);
}

TEST(Kinds, LaunchFlows) {
  EXPECT_TRUE(IsLaunchFlow("ac2g"));
  EXPECT_TRUE(IsLaunchFlow("async_cpu_to_gpu"));
  EXPECT_FALSE(IsLaunchFlow("fwdbwd"));
  EXPECT_FALSE(IsLaunchFlow(""));
}

}  // namespace
}  // namespace rankscope::kineto
