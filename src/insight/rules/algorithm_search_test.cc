// algorithm-search: a library tries kernels in the middle of a run.
#include <gtest/gtest.h>

#include <string>

#include "insight/program_for_test.h"

namespace rankscope {
namespace {

constexpr std::string_view kSizes = "[[8,64,56,56],[64,64,3,3]]";

// A convolution of 100 us; `tried` other kernels of 300 us before it.
void Convolve(Program& of, int tried, std::string_view op = "aten::cudnn_convolution",
              std::string_view sizes = kSizes) {
  for (int i = 0; i < tried; ++i)
    of.Op(op, "sm80_xmma_fprop_implicit_gemm_tilesize" + std::to_string(i), 300, sizes);
  of.Op(op, "sm80_xmma_fprop_implicit_gemm_chosen", 100, sizes);
}

Body Convolves(int tried) {
  return [=](Program& of, int) {
    of.Products(10);
    Convolve(of, tried);
    of.Products(10);
  };
}

TEST(AlgorithmSearch, InEachStep) {
  ExpectFound("algorithm-search", "aten::cudnn_convolution", Convolves(4), Convolves(0));
  EXPECT_NE(TellOf(Convolves(4)).title.find("with 5 kernels in turn"), std::string::npos);
}

// Two layers with the same inputs in a row are two convolutions.
TEST(AlgorithmSearch, KeepsAConvolutionForEach) {
  const auto twice = [](int tried) {
    return [=](Program& of, int) {
      of.Products(10);
      Convolve(of, tried);
      Convolve(of, tried);
      of.Products(10);
    };
  };
  ExpectFound("algorithm-search", "aten::cudnn_convolution", twice(4), twice(0));
}

TEST(AlgorithmSearch, IsNoneOf) {
  const auto is_told = [](const Body& body) { return TellOf(body).Has("algorithm-search"); };
  EXPECT_FALSE(is_told(Convolves(2)));
  // A backward has two gradients to compute.
  EXPECT_FALSE(is_told([](Program& of, int) { Convolve(of, 5, "aten::convolution_backward"); }));
  EXPECT_TRUE(is_told([](Program& of, int) { Convolve(of, 7, "aten::convolution_backward"); }));
  // Layers of other sizes take other kernels.
  EXPECT_FALSE(is_told([](Program& of, int) {
    for (int i = 0; i < 8; ++i)
      of.Op("aten::cudnn_convolution", "sm80_xmma_fprop_implicit_gemm_" + std::to_string(i), 300,
            "[[8,64,56,56],[" + std::to_string(64 * i) + ",64,3,3]]");
  }));
  // Nor is anything known of layers without sizes.
  EXPECT_FALSE(is_told([](Program& of, int) { Convolve(of, 8, "aten::cudnn_convolution", ""); }));
}

}  // namespace
}  // namespace rankscope
