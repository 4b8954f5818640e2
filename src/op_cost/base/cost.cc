#include "op_cost/base/cost.h"

namespace rankscope {

std::string_view ToString(CostFamily family) {
  static constexpr std::string_view kNames[] = {"matmul",      "convolution", "attention",
                                                "elementwise", "reduction",   "normalisation",
                                                "indexing",    "pooling",     "optimizer"};
  return kNames[static_cast<std::size_t>(family)];
}

bool IsMatrixWork(CostFamily family) {
  return family == CostFamily::kMatmul || family == CostFamily::kConvolution ||
         family == CostFamily::kAttention;
}

bool IsMatrixWork(std::string_view family) {
  return family == ToString(CostFamily::kMatmul) || family == ToString(CostFamily::kConvolution) ||
         family == ToString(CostFamily::kAttention);
}

}  // namespace rankscope
