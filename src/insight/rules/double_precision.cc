// double-precision: kernels compute in double where the rest of the model does not.
#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "insight/base/cause_tools.h"
#include "insight/base/thresholds.h"
#include "insight/evidence/kernels/products.h"
#include "insight/evidence/loss/node_sums.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

bool ComputesInDouble(const NodeKind& kind) {
  return kind.work == Work::kCompute && IsOfDoubles(kind);
}

// What moves half the bytes takes half the time; products gain more on most devices.
constexpr double kInSingle = 0.5;

// A program most of whose computing is in double was written so (simulation, solvers).
constexpr double kMostlyInDouble = 0.6;

std::optional<Cause> FindDoublePrecision(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  NodeSums sums(input);
  double computing = 0, of_doubles = 0;
  std::map<std::string, double> by_op;
  input.ForEachOfSteps([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCompute) return;
    const auto took = static_cast<double>(graph.nodes()[node].duration_ns);
    computing += input.Counts(node) ? took : 0;
    if (!ComputesInDouble(kind)) return;
    without.SetDuration(node, static_cast<std::int64_t>(kInSingle * took));
    sums.Add(node, (1 - kInSingle) * took);
    if (!input.Counts(node)) return;
    of_doubles += took;
    by_op[kind.op] += took;
  });
  if (sums.empty() || sums.LostPerStep() < kLowGain * input.step_ns()) return std::nullopt;
  const auto largest = std::max_element(
      by_op.begin(), by_op.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.is_trade = of_doubles >= kMostlyInDouble * computing;
  cause.what =
      fmt::format("kernels that compute in double take {} a step, {} of all computing{}{}",
                  TimeText(sums.PerStep(of_doubles)), PercentText(of_doubles / computing),
                  by_op.size() > 1 ? ", above all those of " : ", all of ", largest->first);
  return cause;
}

}  // namespace

const Rule& DoublePrecisionRule() {
  static const Rule kRule{
      .id = "double-precision",
      .summary = "kernels compute in double (fp64)",
      .tier = Tier::kNature,
      .needs = RuleNeeds::kShapes,
      .find = FindDoublePrecision,
      .why =
          "kernels of ops one of whose tensors is of type double, by the recorded types; replayed "
          "at "
          "half their time, since they would move half the bytes. Products gain more on devices "
          "without fast fp64",
      .recommendation =
          "float32 where the model computes in bf16, fp16 or float32: no .double(), no "
          "dtype=torch.float64, no NumPy arrays of float64 and no Python floats as tensors "
          "(torch.tensor(x, dtype=torch.float32)); double for sums over long runs alone, of "
          "reduced values.",
      .command = "rankscope table kernel_places TRACES",
  };
  return kRule;
}

}  // namespace rankscope
