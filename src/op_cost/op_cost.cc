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

bool HasCostModel(std::string_view op) { return FindModel(op) != nullptr; }

std::optional<OpCost> CostOf(std::string_view op, const std::vector<OpInput>& inputs) {
  const CostModel* model = FindModel(op);
  return model == nullptr ? std::nullopt : model->cost(inputs);
}

}  // namespace rankscope
