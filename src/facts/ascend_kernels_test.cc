#include "facts/ascend_kernels.h"

#include <gtest/gtest.h>

#include "facts/kernel_rules.h"
#include "trace/literal_trace_for_test.h"

namespace rankscope {
namespace {

TEST(AscendKernels, AreNamedAfterOpsOfTheLibrary) {
  const std::pair<const char*, KernelClass> cases[] = {
      {"Cast", KernelClass::kElementwise},
      {"Add12", KernelClass::kElementwise},
      {"aclnnMuls_MulAiCore_Mul", KernelClass::kElementwise},
      {"ReduceSum7", KernelClass::kReduction},
      {"trans_TransData_12", KernelClass::kDataMovement},
      {"aclnnInplaceCopy_TensorMoveAiCore_TensorMove", KernelClass::kDataMovement},
      {"aclnnForeachAddListV2_ForeachAddListV2_ForeachAddList", KernelClass::kOptimizer},
      {"Conv2DBackpropFilter6_MemSet", KernelClass::kDataMovement},
      {"MyOwnAdd", KernelClass::kOther},
      {"12", KernelClass::kOther},
      {"", KernelClass::kOther},
  };
  for (const auto& [name, expected] : cases)
    EXPECT_EQ(ToString(ClassOfAscendKernel(name)), ToString(expected)) << name;
}

TEST(AscendKernels, OnlyOfAscendsDevices) {
  const auto class_of = [](std::string_view device, std::string_view kernel) {
    const RankTrace trace = TraceForTest().DeviceName(0, device).Kernel(2, kernel, 0, 10).Build();
    return WorkClassifier(trace, {}).ClassOf(0);
  };
  EXPECT_EQ(class_of("Ascend NPU", "Cast"), KernelClass::kElementwise);
  EXPECT_EQ(class_of("Ascend NPU", "MatMulV2"), KernelClass::kGemm);
  EXPECT_EQ(class_of("Ascend NPU", "FlashAttentionScore"), KernelClass::kAttention);
  EXPECT_EQ(class_of("Ascend NPU", "hcom_allReduce__868_0_1"), KernelClass::kOtherCommunication);
  EXPECT_EQ(class_of("NVIDIA H100", "Cast"), KernelClass::kOther);
}

}  // namespace
}  // namespace rankscope
