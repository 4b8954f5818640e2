// The cost models by family, and the ops of each. op_cost.h describes what they count.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "op_cost/base/cost.h"
#include "op_cost/base/op_inputs.h"

namespace rankscope {

struct CostModel {
  std::string_view op;
  // nullopt if the inputs are not sufficient.
  std::optional<OpCost> (*cost)(std::span<const OpInput> inputs);
};

// One file each; no op is in two of them.
std::span<const CostModel> MatmulModels();
std::span<const CostModel> ConvolutionModels();
std::span<const CostModel> AttentionModels();
std::span<const CostModel> PointwiseModels();
std::span<const CostModel> ReductionModels();
std::span<const CostModel> NormalisationModels();
std::span<const CostModel> IndexingModels();
std::span<const CostModel> PoolingModels();
std::span<const CostModel> LossModels();
std::span<const CostModel> OptimizerModels();
std::span<const CostModel> ExpertModels();

}  // namespace rankscope
