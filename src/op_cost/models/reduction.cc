#include <algorithm>
#include <array>
#include <charconv>

#include "op_cost/models/input_facts.h"
#include "op_cost/models/models.h"

namespace rankscope {
namespace {

// Elements that are left of `x` when the dimensions in `dims` vanish, "[0, -1]" or "1"; 1 when it
// names none. nullopt for what are no dimensions of x.
std::optional<double> Left(const Shape& x, std::string_view dims) {
  if (dims.starts_with('[')) dims = dims.substr(1, dims.size() - (dims.ends_with(']') ? 2 : 1));
  double left = Size(x);
  bool has_one = false;
  while (!dims.empty()) {
    const std::string_view word = dims.substr(0, dims.find(", "));
    dims.remove_prefix(std::min(dims.size(), word.size() + 2));
    std::int64_t at = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), at);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    if (at < 0) at += static_cast<std::int64_t>(x.size());
    if (at < 0 || at >= static_cast<std::int64_t>(x.size())) return std::nullopt;
    left /= std::max(1.0, static_cast<double>(x[static_cast<std::size_t>(at)]));
    has_one = true;
  }
  return has_one ? left : 1;
}

// `per_element`: FLOPs; `bytes_out`: of a result, 0 = as many as an element of the input.
std::optional<OpCost> ReduceCost(Inputs inputs, std::string_view dims, double per_element,
                                 double bytes_out) {
  if (!HasTensor(inputs, 0)) return std::nullopt;
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  const auto left = Left(inputs[0].shape(), dims);
  if (!bytes || !left) return std::nullopt;
  OpCost cost;
  cost.family = CostFamily::kReduction;
  cost.dtype = inputs[0].dtype;
  cost.flops = per_element * Size(inputs[0].shape());
  cost.bytes = *bytes * Size(inputs[0].shape()) + (bytes_out > 0 ? bytes_out : *bytes) * *left;
  return cost;
}

// sum, mean, ...(input, dims, keepdim). Forms without dimensions have something else there, such as
// a dtype's number.
std::optional<OpCost> ReductionCost(Inputs inputs) {
  const std::string_view dims = ValueOf(inputs, 1);
  return ReduceCost(inputs, dims.starts_with('[') ? dims : "", 1, 0);
}
// var, std(input, dims, ...): the mean, then a difference, its square and their sum.
std::optional<OpCost> VarianceCost(Inputs inputs) {
  const std::string_view dims = ValueOf(inputs, 1);
  return ReduceCost(inputs, dims.starts_with('[') ? dims : "", 4, 0);
}
// prod(input, dim, ...)
std::optional<OpCost> OneDimensionCost(Inputs inputs) {
  return ReduceCost(inputs, inputs.size() > 2 ? ValueOf(inputs, 1) : "", 1, 0);
}
// argmax, argmin(input, dim, keepdim): the result is an index.
std::optional<OpCost> ArgumentCost(Inputs inputs) {
  return ReduceCost(inputs, ValueOf(inputs, 1), 1, 8);
}
// any, all(input, dim, keepdim): the result is a truth value.
std::optional<OpCost> TruthCost(Inputs inputs) {
  return ReduceCost(inputs, inputs.size() > 2 ? ValueOf(inputs, 1) : "", 1, 1);
}
// norm, linalg_vector_norm(input, order, dims, ...): a square and a sum.
std::optional<OpCost> NormCost(Inputs inputs) {
  const std::string_view dims = ValueOf(inputs, 2);
  return ReduceCost(inputs, dims.starts_with('[') ? dims : "", 2, 0);
}
// max, min(input), or (input, dim, keepdim) with the indices. Of two tensors it is no reduction.
std::optional<OpCost> ExtremeCost(Inputs inputs) {
  if (HasTensor(inputs, 1)) return std::nullopt;
  if (inputs.size() < 3) return ReduceCost(inputs, "", 1, 0);
  const auto bytes = BytesOfDtype(inputs[0].dtype);
  return bytes && IntOf(inputs, 1) ? ReduceCost(inputs, ValueOf(inputs, 1), 1, *bytes + 8)
                                   : std::nullopt;
}
// cumsum, cumprod(input, dim, ...): as many results as elements.
std::optional<OpCost> ScanCost(Inputs inputs) {
  auto cost = ReduceCost(inputs, "", 1, 0);
  if (cost) cost->bytes = 2 * *BytesOf(inputs, 0);
  return cost;
}
// sort(input, ...): values and indices. Comparisons depend on the method, so there are no FLOPs.
std::optional<OpCost> SortCost(Inputs inputs) {
  auto cost = ReduceCost(inputs, "", 0, 0);
  if (cost) cost->bytes = 2 * *BytesOf(inputs, 0) + 8 * Size(ShapeOf(inputs, 0));
  return cost;
}
// topk(input, k, dim, ...)
std::optional<OpCost> TopCost(Inputs inputs) {
  const auto k = IntOf(inputs, 1);
  const auto bytes = HasTensor(inputs, 0) ? BytesOfDtype(inputs[0].dtype) : std::nullopt;
  if (!k || *k < 0 || !bytes) return std::nullopt;
  auto cost = ReduceCost(inputs, inputs.size() > 2 ? ValueOf(inputs, 2) : "-1", 0, 1);
  if (!cost) return std::nullopt;
  const double rows = cost->bytes - *BytesOf(inputs, 0);
  cost->bytes += rows * (static_cast<double>(*k) * (*bytes + 8) - 1);
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
    CostModel{"aten::var", VarianceCost},
    CostModel{"aten::std", VarianceCost},
    CostModel{"aten::prod", OneDimensionCost},
    CostModel{"aten::logsumexp", ReductionCost},
    CostModel{"aten::argmax", ArgumentCost},
    CostModel{"aten::argmin", ArgumentCost},
    CostModel{"aten::any", TruthCost},
    CostModel{"aten::all", TruthCost},
    CostModel{"aten::norm", NormCost},
    CostModel{"aten::linalg_vector_norm", NormCost},
    CostModel{"aten::max", ExtremeCost},
    CostModel{"aten::min", ExtremeCost},
    CostModel{"aten::cumsum", ScanCost},
    CostModel{"aten::cumprod", ScanCost},
    CostModel{"aten::sort", SortCost},
    CostModel{"aten::topk", TopCost},
    CostModel{"aten::_softmax", SoftmaxForwardCost},
    CostModel{"aten::_log_softmax", SoftmaxForwardCost},
    CostModel{"aten::_softmax_backward_data", SoftmaxBackwardCost},
    CostModel{"aten::_log_softmax_backward_data", SoftmaxBackwardCost},
};

}  // namespace

std::span<const CostModel> ReductionModels() { return kReductionModels; }

}  // namespace rankscope
