#include "op_cost/op_cost.h"

#include <array>

#include "op_cost/models/models.h"

namespace rankscope {
namespace {

const CostModel* FindModel(std::string_view op) {
  static constexpr std::array kFamilies = {MatmulModels,    ConvolutionModels, AttentionModels,
                                           PointwiseModels, ReductionModels,   NormalisationModels,
                                           IndexingModels,  PoolingModels,     LossModels,
                                           OptimizerModels, ExpertModels};
  for (const auto& family : kFamilies) {
    for (const CostModel& model : family()) {
      if (model.op == op) return &model;
    }
  }
  return nullptr;
}

}  // namespace

bool HasCostModel(std::string_view op) { return FindModel(op) != nullptr; }

std::optional<OpCost> CostOf(std::string_view op, const std::vector<OpInput>& inputs) {
  const CostModel* model = FindModel(op);
  return model == nullptr ? std::nullopt : model->cost(inputs);
}

}  // namespace rankscope
