#include "op_cost/list_dtypes.h"

#include <gtest/gtest.h>

#include "analysis/roofline/analyses.h"
#include "stage/job_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kAddLists =
    "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<at::native::(anonymous "
    "namespace)::TensorListMetadata<2>, at::native::(anonymous "
    "namespace)::BinaryOpListAlphaFunctor<float, 2, 2, 0>, std::plus<float>, float>(int)";
constexpr std::string_view kCat =
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy<at::native::(anonymous "
    "namespace)::OpaqueType<2u>, unsigned int, 3, 64, 64>(at::native::OpaqueType<2u>*)";

TEST(DtypeInKernelName, TheFirstTemplateArgument) {
  EXPECT_EQ(DtypeInKernelName(kAddLists), "float");
  EXPECT_EQ(DtypeInKernelName(kCat), "OpaqueType<2u>");
  EXPECT_EQ(DtypeInKernelName("k<FusedAdamMathFunctor<c10::BFloat16, 4, float>>"), "c10::BFloat16");
  // No template argument of its own.
  EXPECT_EQ(DtypeInKernelName("float_to_bfloat16(float)"), "");
  EXPECT_EQ(DtypeInKernelName("CatArrayBatchedCopy<floats, 2>"), "");
  EXPECT_EQ(DtypeInKernelName(""), "");
}

// A concatenation of halves and one of floats with the same shapes, and one whose kernel says
// nothing: 2 bytes * 2 * 2000 and 4 bytes * 2 * 2000.
TEST(Roofline, ListsHaveTheDtypeOfTheirKernels) {
  constexpr std::string_view kDims = "[[[1000], [1000]], []]";
  constexpr std::string_view kTypes = R"(["TensorList", "Scalar"])";
  JobForTest job;
  job.Add(0, TraceForTest()
                 .Op(1, "aten::cat", 0, 1000, kDims, kTypes)
                 .Launch(1, 100, 50)
                 .Op(1, "aten::cat", 2000, 1000, kDims, kTypes)
                 .Launch(2, 2100, 50)
                 .Op(1, "aten::cat", 4000, 1000, kDims, kTypes)
                 .Launch(3, 4100, 50)
                 .Kernel(7, kCat, 10'000, 300, 1)
                 .Kernel(7, "CatArrayBatchedCopy<float, unsigned int>", 20'000, 200, 2)
                 .Kernel(7, "concatenate", 30'000, 100, 3)
                 .Build());
  EXPECT_EQ(Rows(job.Run(RooflineAnalysis()), {"op", "family", "dtype", "device_ns", "bytes"}),
            "aten::cat,indexing,OpaqueType<2u>,300,8000\n"
            "aten::cat,indexing,float,200,16000\n"
            ",,,100,\n");
}

}  // namespace
}  // namespace rankscope
