// What an op has to compute and to move at least, from the shapes of its inputs.
//
// FLOPs count a multiplication and an addition as two. Bytes are those of reading every input once
// and writing every output once: what a perfect cache would leave; a kernel may move more (reads
// again) or less (inputs that lie in the L2 cache). Formulas, b = bytes per element:
//
//   mm, bmm, addmm, baddbmm, _scaled_mm
//               2 B M N K (+ B M N with a bias)    b B (M K + K N + M N) (+ b N, or b B M N)
//   convolution 2 |out| |w| / Cout (+ |out| with a bias; transposed: |x| for |out|, Cin for Cout)
//                                                  b (|x| + |w| + |out|) (+ b Cout)
//   convolution_backward: that of forward for each of the gradients of input and weight
//                                                  b (|dy| + |x| + |w|) + b (each gradient)
//   scaled_dot_product_attention, flash, efficient and cuDNN
//               2 B H pairs (dqk + dv)             b B (Nq Hq dqk + Nk Hk (dqk + dv) + Nq Hq dv)
//               backward: 2 B H pairs (2 dqk + 2 dv) + 2 B H pairs dqk, what flash computes again
//               pairs = Nq Nk; causal (aligned at the end): Nq Nk - Nq (Nq - 1) / 2 for Nq <= Nk
//   elementwise |out|                              b of inputs and output (broadcast: as they are)
//   sum, mean, amax, ...: |in|                     b (|in| + |out|)
//   softmax     3 |x| (backward 6 |x|)             2 b |x| (backward 3 b |x|)
//   layer_norm, batch_norm, group_norm, rms_norm   5 |x| + 6 C
//                                                  2 b |x| + 2 b C
//
// Sources: the definitions of the ops; FlashAttention-2 (Dao 2023) for the recomputation.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "analysis/roofline/op_inputs.h"

namespace rankscope {

enum class CostFamily : std::uint8_t {
  kMatmul,
  kConvolution,
  kAttention,
  kElementwise,
  kReduction,
  kNormalisation,
  kIndexing,  // embeddings, gathers and scatters, concatenation: moves and computes next to nothing
  kPooling,
  kOptimizer,
};
std::string_view ToString(CostFamily family);  // "matmul", ...

struct OpCost {
  CostFamily family = CostFamily::kMatmul;
  double flops = 0;
  double bytes = 0;
  std::string_view dtype;  // of the first operand: decides the peak
  // Whether matrix cores (tensor cores, MFMA) can do it: a matmul, convolution or attention whose
  // inner dimensions are multiples of 16 bytes.
  bool fits_matrix_cores = false;
  // FLOPs are at least these: of sequences in one batch only the sum and the longest are recorded.
  bool is_lower_bound = false;
};
// Whether the family is one of products of matrices, which matrix cores are for.
bool IsMatrixWork(CostFamily family);
bool IsMatrixWork(std::string_view family);  // by its name

// Whether ops of this name have a model at all.
bool HasCostModel(std::string_view op);
// nullopt when the op has no model or its inputs do not say enough.
std::optional<OpCost> CostOf(std::string_view op, const std::vector<OpInput>& inputs);

}  // namespace rankscope
