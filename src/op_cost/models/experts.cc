#include <array>
#include <cmath>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

namespace rankscope {
namespace {

// fused_experts(x, w1, w2, topk_weights, topk_ids, ...): x is [T, H]; w2 is [E, H, I]; w1 is
// [E, I, H], or [E, 2 I, H] with a gate. Every token goes through k of the E experts, and their
// results are weighted and added: 2 T H I k (g + 1) + T H (2 k - 1).
//
// Which experts are chosen is not recorded. Bytes are of as many as choices made at random touch on
// average, E (1 - (1 - k / E)^T).
std::optional<OpCost> FusedExpertsCost(Inputs inputs) {
  const Shape& x = ShapeOf(inputs, 0);
  const Shape& up = ShapeOf(inputs, 1);
  const Shape& down = ShapeOf(inputs, 2);
  const Shape& chosen = ShapeOf(inputs, 3);
  if (x.size() != 2 || up.size() != 3 || down.size() != 3 || chosen.size() != 2)
    return std::nullopt;
  // Weights of 4 bits are recorded as half as many bytes: their shapes do not fit.
  const bool has_gate = up[1] % 2 == 0 && up[1] / 2 == down[2];
  if (up[0] != down[0] || up[2] != x[1] || down[1] != x[1] || chosen[0] != x[0] ||
      (!has_gate && up[1] != down[2]) || up[0] < chosen[1] || up[0] == 0)
    return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  const auto bytes_of_weights = BytesOfDtype(inputs[1].dtype);
  if (!bytes || !bytes_of_weights) return std::nullopt;
  const auto tokens = static_cast<double>(x[0]);
  const auto hidden = static_cast<double>(x[1]);
  const auto inner = static_cast<double>(down[2]);
  const auto experts = static_cast<double>(up[0]);
  const auto k = static_cast<double>(chosen[1]);
  const double products = has_gate ? 3 : 2;
  const double touched = experts * (1 - std::pow(1 - k / experts, tokens));
  OpCost cost;
  cost.family = CostFamily::kMatmul;
  // Whether inputs are quantised to meet weights of fewer bits is another input's matter.
  if (inputs[0].dtype == inputs[1].dtype) cost.dtype = inputs[0].dtype;
  cost.flops = 2 * tokens * hidden * inner * k * products + tokens * hidden * (2 * k - 1);
  cost.bytes =
      2 * *bytes * tokens * hidden + *bytes_of_weights * touched * hidden * inner * products;
  cost.fits_matrix_cores = *bytes <= 2 && IsMultiple(x[1], *bytes) && IsMultiple(down[2], *bytes);
  return cost;
}

constexpr std::array kExpertModels = {
    CostModel{"vllm::inplace_fused_experts", FusedExpertsCost},
    CostModel{"vllm::outplace_fused_experts", FusedExpertsCost},
    CostModel{"sglang::inplace_fused_experts", FusedExpertsCost},
    CostModel{"sglang::outplace_fused_experts", FusedExpertsCost},
    CostModel{"aiter::fused_moe_", FusedExpertsCost},
};

}  // namespace

std::span<const CostModel> ExpertModels() { return kExpertModels; }

}  // namespace rankscope
