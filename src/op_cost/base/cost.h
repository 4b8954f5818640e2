// OpCost: the result of a cost model for an op. op_cost.h has the formulas.
#pragma once

#include <cstdint>
#include <string_view>

namespace rankscope {

enum class CostFamily : std::uint8_t {
  kMatmul,
  kConvolution,
  kAttention,
  kElementwise,
  kReduction,
  kNormalisation,
  kIndexing,  // embeddings, gathers, scatters, concatenation: moves data, computes almost nothing
  kPooling,
  kOptimizer,
};
std::string_view ToString(CostFamily family);  // "matmul", ...

struct OpCost {
  CostFamily family = CostFamily::kMatmul;
  double flops = 0;
  double bytes = 0;
  std::string_view dtype;  // of the first operand: selects the peak
  // Whether matrix cores (tensor cores, MFMA) can execute it: a matmul, convolution or attention
  // whose inner dimensions are multiples of 16 bytes.
  bool fits_matrix_cores = false;
  // FLOPs are a lower bound: for sequences in one batch, only the sum and the longest are recorded.
  bool is_lower_bound = false;
};
// Whether the family consists of matrix products, the work of matrix cores.
bool IsMatrixWork(CostFamily family);
bool IsMatrixWork(std::string_view family);  // by its name

}  // namespace rankscope
