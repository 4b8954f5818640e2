#include <array>
#include <string>
#include <vector>

#include "analysis/roofline/op_cost/input_facts.h"
#include "analysis/roofline/op_cost/models.h"

namespace rankscope {
namespace {

// sum, mean, ...(input, dims, keepdim): the sizes of the reduced dimensions vanish.
std::optional<OpCost> ReductionCost(Inputs inputs) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes) return std::nullopt;
  const Shape& x = inputs[0].shape();
  std::string_view dims = ValueOf(inputs, 1);
  double out = 1;
  if (dims.starts_with('[') && dims != "[]") {
    std::vector<bool> is_reduced(x.size(), false);
    dims = dims.substr(1, dims.size() - 2);
    while (!dims.empty()) {
      const std::string_view word = dims.substr(0, dims.find(", "));
      dims.remove_prefix(std::min(dims.size(), word.size() + 2));
      const bool is_negative = word.starts_with('-');
      const Shape number = ParseIntList("[" + std::string(word.substr(is_negative ? 1 : 0)) + "]");
      if (number.size() != 1) return std::nullopt;
      const std::int64_t at =
          is_negative ? static_cast<std::int64_t>(x.size()) - number[0] : number[0];
      if (at < 0 || at >= static_cast<std::int64_t>(x.size())) return std::nullopt;
      is_reduced[static_cast<std::size_t>(at)] = true;
    }
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!is_reduced[i]) out *= static_cast<double>(x[i]);
    }
  }
  OpCost cost;
  cost.family = CostFamily::kReduction;
  cost.dtype = inputs[0].dtype;
  cost.flops = Size(x);
  cost.bytes = *bytes * (Size(x) + out);
  return cost;
}

std::optional<OpCost> SoftmaxCost(Inputs inputs, double flops, double passes) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  if (!bytes) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kReduction;
  cost.dtype = inputs[0].dtype;
  cost.flops = flops * Size(inputs[0].shape());
  cost.bytes = passes * *bytes * Size(inputs[0].shape());
  return cost;
}
std::optional<OpCost> SoftmaxForwardCost(Inputs inputs) { return SoftmaxCost(inputs, 3, 2); }
std::optional<OpCost> SoftmaxBackwardCost(Inputs inputs) { return SoftmaxCost(inputs, 6, 3); }

constexpr std::array kReductionModels = {
    CostModel{"aten::sum", ReductionCost},
    CostModel{"aten::mean", ReductionCost},
    CostModel{"aten::amax", ReductionCost},
    CostModel{"aten::amin", ReductionCost},
    CostModel{"aten::_softmax", SoftmaxForwardCost},
    CostModel{"aten::_log_softmax", SoftmaxForwardCost},
    CostModel{"aten::_softmax_backward_data", SoftmaxBackwardCost},
    CostModel{"aten::_log_softmax_backward_data", SoftmaxBackwardCost},
};

}  // namespace

std::span<const CostModel> ReductionModels() { return kReductionModels; }

}  // namespace rankscope
