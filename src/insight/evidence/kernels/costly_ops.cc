#include "insight/evidence/kernels/costly_ops.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/text.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/awkward_size.h"
#include "insight/evidence/kernels/device_streams.h"

namespace rankscope {
namespace {

// Below this part of the step on the device no replay is made to see what their waits cost.
constexpr double kLeastOfDevice = 0.01;

// index_put_(accumulate=True), which the gradient of x[index] is: it sorts the indices, and adds
// what has the same one in its order. Without it nothing is sorted.
bool AddsByIndex(const NodeKind& kind) {
  return Contains(kind.name, "indexing_backward") || Contains(kind.name, "RadixSort");
}

bool IsCostly(std::string_view op, const NodeKind& kind) {
  const CostlyFamily family = CostlyFamilyOf(op);
  return family == CostlyFamily::kIndexedAdd ? AddsByIndex(kind) : family != CostlyFamily::kNone;
}

bool IsOfCostlyOp(const NodeKind& kind) {
  return IsDevice(kind.work) && (IsCostly(kind.op, kind) || IsCostly(kind.outer_op, kind));
}

// The last size of the first input: the vocabulary, of logits; 0: not known.
std::int64_t RowOf(const NodeKind& kind) {
  const std::vector<std::vector<std::int64_t>> inputs = SizesOf(kind.shapes);
  return inputs.empty() || inputs.front().empty() ? 0 : inputs.front().back();
}

// What a node does where tokens are sampled with top-p: logits are sorted, their probabilities
// summed up in this order, and what is left brought back to its place.
enum class SamplingPart : std::uint8_t { kNone, kSort, kSum, kPlace, kOther };

class TopP {
 public:
  explicit TopP(const JobGraph& graph) : graph_(graph) {
    constexpr std::int64_t kLeastVocabulary = 8192;
    for (const NodeKind& kind : graph.kinds()) {
      rows_.push_back(kind.work == Work::kCompute ? RowOf(kind) : 0);
      parts_.push_back(rows_.back() >= kLeastVocabulary ? PartOf(kind) : SamplingPart::kNone);
    }
  }

  // What follows the sorts of a stream, if it is that.
  void SelectBehindSorts(const std::vector<NodeId>& stream, Selection& selection) const {
    for (std::size_t i = 0; i < stream.size(); ++i) {
      if (PartAt(stream[i]) != SamplingPart::kSort) continue;
      for (std::size_t k = i + 1; k < EndBehind(stream, i); ++k) {
        if (!selection.Has(stream[k])) selection.Add(stream[k]);
      }
    }
  }

 private:
  static SamplingPart PartOf(const NodeKind& kind) {
    constexpr std::array<std::string_view, 3> kPlaces = {"aten::scatter", "aten::gather",
                                                         "aten::masked_fill"};
    if (kind.kernel_class == KernelClass::kGemm) return SamplingPart::kNone;
    if (kind.op.starts_with("aten::sort") || kind.op.starts_with("aten::argsort"))
      return SamplingPart::kSort;
    if (kind.op.starts_with("aten::cumsum")) return SamplingPart::kSum;
    const bool places = std::ranges::any_of(
        kPlaces, [&](std::string_view begin) { return kind.op.starts_with(begin); });
    return places ? SamplingPart::kPlace : SamplingPart::kOther;
  }

  SamplingPart PartAt(NodeId node) const { return parts_[graph_.nodes().KindOf(node)]; }
  std::int64_t RowAt(NodeId node) const { return rows_[graph_.nodes().KindOf(node)]; }

  // Behind the last kernel that brings sums to their place; behind the sort if none does.
  std::size_t EndBehind(const std::vector<NodeId>& stream, std::size_t sort) const {
    constexpr std::size_t kMostKernels = 24;
    std::size_t end = sort + 1;
    bool has_sum = false;
    for (std::size_t i = sort + 1; i < std::min(stream.size(), sort + kMostKernels); ++i) {
      const SamplingPart part = PartAt(stream[i]);
      if (part == SamplingPart::kNone || RowAt(stream[i]) != RowAt(stream[sort])) break;
      has_sum = has_sum || part == SamplingPart::kSum;
      if (has_sum && part == SamplingPart::kPlace) end = i + 1;
    }
    return end;
  }

  const JobGraph& graph_;
  std::vector<std::int64_t> rows_;  // by kind
  std::vector<SamplingPart> parts_;
};

}  // namespace

CostlyFamily CostlyFamilyOf(std::string_view op) {
  constexpr std::array<std::string_view, 12> kSorts = {
      "aten::sort",      "aten::argsort",  "aten::msort", "aten::_unique",
      "aten::unique",    "aten::median",   "aten::mode",  "aten::kthvalue",
      "aten::nanmedian", "aten::quantile", "aten::histc", "aten::bincount"};
  constexpr std::array<std::string_view, 10> kDecompositions = {
      "aten::linalg_",  "aten::_linalg_", "aten::svd", "aten::symeig", "aten::qr",
      "aten::cholesky", "aten::inverse",  "aten::lu",  "aten::geqrf",  "aten::matrix_exp"};
  constexpr std::array<std::string_view, 4> kFills = {"aten::fill_", "aten::zero_",
                                                      "aten::_foreach_zero_", "aten::full"};
  constexpr std::array<std::string_view, 3> kIndexed = {"aten::_index_put_impl_", "aten::index_put",
                                                        "aten::_unsafe_index_put"};
  const auto is_of = [&](const auto& names) {
    return std::any_of(names.begin(), names.end(),
                       [&](std::string_view begin) { return op.starts_with(begin); });
  };
  // Norms, products and cross products are no decompositions.
  constexpr std::array<std::string_view, 8> kOrdinary = {
      "aten::linalg_vector_norm", "aten::linalg_norm",    "aten::linalg_matrix_norm",
      "aten::linalg_cross",       "aten::linalg_vecdot",  "aten::linalg_matmul",
      "aten::linalg_multi_dot",   "aten::linalg_diagonal"};
  if (is_of(kOrdinary)) return CostlyFamily::kNone;
  if (is_of(kSorts)) return CostlyFamily::kSort;
  if (is_of(kFills)) return CostlyFamily::kFill;
  if (is_of(kIndexed)) return CostlyFamily::kIndexedAdd;
  return is_of(kDecompositions) ? CostlyFamily::kDecomposition : CostlyFamily::kNone;
}

CostlyOps::CostlyOps(const RuleInput& input)
    : work_(SelectKinds(input, IsOfCostlyOp)), behind_sorts_(input) {
  const TopP top_p(input.graph());
  for (const std::vector<NodeId>& stream : input.Shared<DeviceStreams>().nodes)
    top_p.SelectBehindSorts(stream, behind_sorts_);
  for (NodeId node = 0; !behind_sorts_.sums().empty() && node < input.graph().nodes().size();
       ++node) {
    if (behind_sorts_.Has(node) && !work_.Has(node)) work_.Add(node);
  }
  const double on_device = work_.sums().LostPerStep();
  if (work_.sums().empty() || on_device < kLeastOfDevice * input.step_ns()) return;
  are_much_ =
      on_device >= kCostlyOp * input.step_ns() ||
      (input.fidelity().refused.empty() && input.GainOf(work_.WithoutAndItsWaits()) >= kCostlyOp);
}

}  // namespace rankscope
