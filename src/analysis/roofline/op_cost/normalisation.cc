#include <algorithm>
#include <array>

#include "analysis/roofline/op_cost/input_facts.h"
#include "analysis/roofline/op_cost/models.h"

namespace rankscope {
namespace {

// layer_norm(input, normalized_shape, weight, bias, ...), batch_norm(input, weight, bias, ...).
std::optional<OpCost> NormalisationCost(Inputs inputs) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes) return std::nullopt;
  double channels = 0;
  for (std::size_t i = 1; i < inputs.size(); ++i) {
    if (inputs[i].is_tensor()) channels = std::max(channels, Size(inputs[i].shape()));
  }
  const double elements = Size(inputs[0].shape());
  OpCost cost;
  cost.family = CostFamily::kNormalisation;
  cost.dtype = inputs[0].dtype;
  cost.flops = 5 * elements + 6 * channels;
  cost.bytes = *bytes * 2 * (elements + channels);
  return cost;
}

constexpr std::array kNormalisationModels = {
    CostModel{"aten::native_layer_norm", NormalisationCost},
    CostModel{"aten::layer_norm", NormalisationCost},
    CostModel{"aten::rms_norm", NormalisationCost},
    CostModel{"aten::native_group_norm", NormalisationCost},
    CostModel{"aten::batch_norm", NormalisationCost},
    CostModel{"aten::native_batch_norm", NormalisationCost},
    CostModel{"aten::cudnn_batch_norm", NormalisationCost},
};

}  // namespace

std::span<const CostModel> NormalisationModels() { return kNormalisationModels; }

}  // namespace rankscope
