// The minimum of computation and data movement of an op, from the shapes of its inputs.
//
// A multiplication and an addition count as two FLOPs. Bytes count one read of every input and one
// write of every output, the traffic with a perfect cache. A kernel may move more (repeated reads)
// or less (inputs that are in the L2 cache). Formulas, b = bytes per element:
//
//   mm, bmm, addmm, baddbmm, _scaled_mm, _int_mm, TransformerEngine's te_gemm_ts
//               2 B M N K (+ B M N with a bias)    b B (M K + K N + M N) (+ b N, or b B M N)
//   grouped matmuls of all M rows together, G matrices
//               2 M N K                            b (M K + G K N + M N); where the groups divide
//                                                  K or N: b of the factors and of each product
//   fused experts, T tokens, k of E experts each, g = 1 with a gate (experts.cc)
//               2 T H I k (g + 2) + T H (2 k - 1)  2 b T H + b E' H I (g + 2),
//                                                  E' = E (1 - (1 - k / E)^T)
//   convolution 2 |out| |w| / Cout (+ |out| with a bias; transposed: |x| for |out|, Cin for Cout)
//                                                  b (|x| + |w| + |out|) (+ b Cout)
//   convolution_backward: that of forward for each of the gradients of input and weight
//                                                  b (|dy| + |x| + |w|) + b (each gradient)
//   causal_conv1d 2 |x| K (+ |x|)                  b (2 |x| + |w|) (+ b C)
//   attention, of PyTorch (flash, efficient, cuDNN) and of the package flash_attn
//               2 B H pairs (dqk + dv)             b B (Nq Hq dqk + Nk Hk (dqk + dv) + Nq Hq dv)
//               backward: 2 B H pairs (2 dqk + 2 dv) + 2 B H pairs dqk, what flash computes again
//                                                  twice that
//               pairs = Nq Nk, or what a causal mask and a window leave (attention_pairs.h);
//               packed sequences: their sum, or the least that their longest allows
//   elementwise |out|                              b of inputs and output (broadcast: as they are)
//               gated 2 |out|, rotary 3 |x|; casts, fills, masks and moves: 0
//   sum, mean, amax, argmax, ...: |in|             b (|in| + |out|)
//               norms 2 |in|, variances 4 |in|; sort and topk: 0
//   softmax     3 |x| (backward 6 |x|)             2 b |x| (backward 3 b |x|)
//   cross_entropy_loss 5 |x|, nll |targets|, mse 3 |x| (backward 2 |x|)
//                                                  b of inputs and outputs
//   layer_norm, batch_norm, group_norm, rms_norm   5 |x| + 6 C
//                                                  2 b |x| + 2 b C
//               backward: 10 |x| (rms 7 |x|) for x, 2 |x| for the weight, 1 |x| for the bias
//                                                  b (2 |x| + statistics + w) + b (each gradient)
//   embedding, index_select, gather, scatter, cat: 0, or 1 for each element that is added
//                                                  b of what is named, of indices and results; of a
//                                                  table no more rows than it has
//   pooling     |out| k^2 (backward |dy|, average |dy| k^2)
//                                                  b (|x| + |out|), indices 8 |out|
//   fused Adam  12 |p|, SGD 2 |p| (4 with momentum), Adagrad 7 |p|
//                                                  b of the lists read and written
//   _foreach    1 |p|; addcmul, addcdiv, lerp 3 |p|, norm 2 |p|
//
// Sources: the definitions of the ops; FlashAttention-2 (Dao 2023) for the recomputation.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/component.h"
#include "op_cost/base/cost.h"
#include "op_cost/base/op_inputs.h"

namespace rankscope {

// Increase its version when FLOPs, bytes or peaks of the same op change.
inline constexpr Component kOpCostComponent{"op_cost", 2};

// Whether ops with this name have a model.
bool HasCostModel(std::string_view op);
// nullopt if the op has no model or its inputs are not sufficient.
std::optional<OpCost> CostOf(std::string_view op, const std::vector<OpInput>& inputs);

}  // namespace rankscope
