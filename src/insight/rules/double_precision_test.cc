// double-precision: kernels compute in double.
#include <gtest/gtest.h>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

// Eight products and two losses of 600 us each.
Body Losses(std::string_view type, int products = 8) {
  const std::string types = "[\"" + std::string(type) + "\",\"\"]";
  return [=](Program& of, int) {
    of.Products(products);
    for (int i = 0; i < 2; ++i)
      of.Op("aten::_log_softmax", "cunn_SoftMaxForward", 600, "[[4096,16000],[]]", types);
  };
}

TEST(DoublePrecision, WouldTakeHalfInSingle) {
  const Told told = TellOf(Losses("double"));
  EXPECT_TRUE(told.Has("double-precision")) << told.all;
  EXPECT_NEAR(told.gains.at("double-precision"), 100 * 600 / told.mean_step, 0.5);
}

TEST(DoublePrecision, SingleIsNone) {
  EXPECT_FALSE(TellOf(Losses("float")).Has("double-precision"));
}

// Who computes in double throughout needs it, as far as a recording tells.
TEST(DoublePrecision, OfAllComputingIsToldWithLowSeverity) {
  const Told told = TellOf(Losses("double", 1));
  EXPECT_TRUE(told.Has("double-precision")) << told.all;
  EXPECT_EQ((" " + told.ids).find(" double-precision "), std::string::npos) << told.ids;
}

// x.cumsum(-1, dtype=torch.float64): the inputs are of bf16, the kernel is made for double.
TEST(DoublePrecision, KernelsThatAreMadeForDouble) {
  const auto told = [](std::string_view kernel) {
    return TellOf([=](Program& of, int) {
      of.Products(8);
      of.Op("aten::cumsum", kernel, 1200, "[[4096,3072]]", R"(["c10::BFloat16"])");
    });
  };
  constexpr std::string_view kDouble =
      "void at::native::tensor_kernel_scan_innermost_dim<double, std::plus<double> >(double*)";
  constexpr std::string_view kSingle =
      "void at::native::tensor_kernel_scan_innermost_dim<float, std::plus<float> >(float*, double)";
  EXPECT_TRUE(told(kDouble).Has("double-precision")) << told(kDouble).all;
  EXPECT_FALSE(told(kSingle).Has("double-precision")) << told(kSingle).all;
}

// A window of float64 from NumPy promotes what it is multiplied with.
TEST(DoublePrecision, OneInputOfDoublesPromotesAll) {
  const auto told = [](std::string_view op, std::string_view types) {
    return TellOf([=](Program& of, int) {
      of.Products(8);
      for (int i = 0; i < 2; ++i) of.Op(op, "elementwise", 600, "[[256,397,512],[512]]", types);
    });
  };
  EXPECT_TRUE(told("aten::mul", R"(["float","double"])").Has("double-precision"));
  EXPECT_TRUE(told("aten::_fft_r2c", R"(["double",""])").Has("double-precision"));
  EXPECT_FALSE(told("aten::mul", R"(["float","float"])").Has("double-precision"));
  // What is copied is converted; and a scalar is no tensor.
  EXPECT_FALSE(told("aten::copy_", R"(["float","double"])").Has("double-precision"));
}

// What the library calls its kernel tells more than the inputs that were recorded.
TEST(DoublePrecision, ProductsOfALibraryByTheirNames) {
  const auto told = [](std::string_view kernel) {
    return TellOf([=](Program& of, int) {
      of.Products(12);
      of.Op("aten::mm", kernel, 800, "[[4096,4096],[4096,4096]]");
    });
  };
  const Told doubles = told("ampere_dgemm_64x64_nn");
  EXPECT_TRUE(doubles.Has("double-precision")) << doubles.all;
  EXPECT_NEAR(doubles.gains.at("double-precision"), 100 * 400 / doubles.mean_step, 0.5);
  EXPECT_FALSE(told("ampere_sgemm_64x64_nn").Has("double-precision"));
}

}  // namespace
}  // namespace rankscope
