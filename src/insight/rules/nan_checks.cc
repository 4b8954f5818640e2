// nan-checks: tensors are checked for NaN again and again, and the host waits for each answer.
//
// What autograd's anomaly mode does behind every function of backward: isnan(grad), any, item. On
// the device that is a comparison (x != x), one or two kernels of any, and a copy of one value.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/evidence/loss/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// One or two a step are of the loss, or of a scaler of gradients.
constexpr double kLeastChecks = 4;

// Kernels of one check: isfinite is a handful, any two.
constexpr int kMostKernels = 8;

template <std::size_t N>
bool IsOneOf(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool BringsValue(const NodeKind& kind) {
  constexpr std::array<std::string_view, 3> kOps = {"aten::_local_scalar_dense", "aten::item",
                                                    "aten::is_nonzero"};
  return kind.work == Work::kCopy && IsOneOf(kOps, kind.op);
}

bool IsAnyOrAll(const NodeKind& kind) {
  constexpr std::array<std::string_view, 4> kOps = {"aten::any", "aten::all", "aten::_is_any_true",
                                                    "aten::_is_all_true"};
  return IsOneOf(kOps, kind.op);
}

// isnan is ne; isfinite and isinf are abs, ne or eq, and a product of these.
bool IsTest(const NodeKind& kind) {
  constexpr std::array<std::string_view, 8> kOps = {
      "aten::ne",    "aten::eq",       "aten::abs",   "aten::mul",
      "aten::isnan", "aten::isfinite", "aten::isinf", "aten::logical_not"};
  return IsOneOf(kOps, kind.op);
}

// Of numbers that can be NaN, where the type is known.
bool MayBeNan(const NodeKind& kind) {
  return kind.dtype.empty() || kind.dtype.find("float") != std::string::npos ||
         kind.dtype.find("Float") != std::string::npos ||
         kind.dtype.find("Half") != std::string::npos || kind.dtype == "double";
}

// The kernels of a check before its copy, on the copy's stream; none where they are something else.
std::vector<NodeId> CheckBefore(const JobGraph& graph, NodeId copy) {
  std::vector<NodeId> nodes;
  NodeId at = graph.nodes()[copy].previous;
  const auto take = [&](const auto& is_one) {
    const std::size_t before = nodes.size();
    while (at != kNoNode && nodes.size() < kMostKernels && is_one(graph.KindOf(at))) {
      nodes.push_back(at);
      at = graph.nodes()[at].previous;
    }
    return nodes.size() > before;
  };
  if (!take(IsAnyOrAll) || !take(IsTest) || !MayBeNan(graph.KindOf(nodes.back()))) nodes.clear();
  return nodes;
}

struct Checks {
  explicit Checks(const RuleInput& input) : work(input), copies(input) {}
  Selection work;   // kernels and copies
  NodeSums copies;  // one of each check
  std::size_t in_backward = 0;
  double InBackward() const {
    return static_cast<double>(in_backward) / static_cast<double>(copies.nodes().size());
  }
};

Checks ChecksOf(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Checks checks(input);
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    if (!BringsValue(kind)) return;
    const std::vector<NodeId> before = CheckBefore(graph, node);
    if (before.empty()) return;
    checks.work.Add(node);
    for (const NodeId kernel : before) checks.work.Add(kernel);
    checks.copies.Add(node, static_cast<double>(graph.nodes()[node].duration_ns));
    if (input.Counts(node) && graph.KindOf(before.back()).phase == Phase::kBackward)
      ++checks.in_backward;
  });
  return checks;
}

std::optional<Cause> FindNanChecks(const RuleInput& input) {
  const Checks checks = ChecksOf(input);
  if (checks.copies.empty() || checks.copies.CountPerStep() < kLeastChecks) return std::nullopt;
  Cause cause;
  checks.work.sums().TellIn(cause);
  cause.without = checks.work.WithoutAndItsWaits();
  const bool is_of_backward = checks.InBackward() >= 0.5;
  cause.what = fmt::format("{} for NaN {}, and the host waits for each answer{}",
                           is_of_backward ? "backward checks its gradients" : "tensors are checked",
                           TimesAStep(checks.copies.CountPerStep()),
                           is_of_backward ? ", as autograd's anomaly mode does" : "");
  cause.recommendation =
      is_of_backward
          ? "torch.autograd.set_detect_anomaly(False), or no detect_anomaly() around the step: it "
            "is "
            "for finding a NaN once. Lightning: Trainer(detect_anomaly=False). To watch for one, "
            "check the loss or the norm of all gradients, once a step."
          : "Check one value for all: the loss, or the norm of all gradients "
            "(clip_grad_norm_(..., error_if_nonfinite=True)), and read it a step later.";
  return cause;
}

}  // namespace

const Rule& NanChecksRule() {
  static const Rule kRule{
      .id = "nan-checks",
      .summary = "tensors are checked for NaN again and again (anomaly mode)",
      .takes = Takes::kSync,
      .needs = RuleNeeds::kDevice,
      .find = FindNanChecks,
      .why =
          "a comparison, any or all, and a copy of one value in a row on a stream, four times a "
          "step "
          "and more; replayed without these, what launches them, and the waits. What anomaly mode "
          "costs the forward, which keeps a stack for each of its functions, is not counted",
      .command = "rankscope table ops_by_name TRACES",
  };
  return kRule;
}

}  // namespace rankscope
