// optimizer-on-host: gradients are copied to the host, the optimizer runs there, and parameters are
// copied back.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "insight/cause_tools.h"
#include "insight/evidence/host_stretches.h"
#include "insight/evidence/node_sums.h"
#include "insight/evidence/step_parts.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"

namespace rankscope {
namespace {

// Of an optimizer, or the arithmetic on tensors that one does: not a line of logging.
bool IsOfOptimizer(const JobGraph& graph, NodeId node) {
  std::string name = NameOfStretch(graph, node);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  constexpr std::array<std::string_view, 13> kParts = {
      "optim",      "adam",           "adagrad",    "sgd",         "lamb",
      "lion",       "aten::add_",     "aten::mul_", "aten::lerp_", "aten::addc",
      "aten::sqrt", "aten::_foreach", "aten::div_"};
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return Contains(name, part); });
}

bool IsCopy(const NodeKind& kind, std::string_view direction, std::string_view in_words) {
  return kind.work == Work::kCopy &&
         (Contains(kind.name, direction) || Contains(kind.name, in_words));
}

std::optional<Cause> Find(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const auto& parts = input.Shared<StepParts>();
  Scenario without = input.recorded();
  NodeSums sums(input);
  bool down = false, up = false;
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    if (kind.work != Work::kCopy || !parts.IsBehindBackward(input, node)) return;
    const bool is_down = IsCopy(kind, "DtoH", "DeviceToHost");
    const bool is_up = IsCopy(kind, "HtoD", "HostToDevice");
    down |= is_down;
    up |= is_up;
    if (is_down || is_up) without.SetDuration(node, 0);
  });
  if (!down || !up) return std::nullopt;
  const auto& stretches = input.Shared<HostStretches>();
  for (const NodeId node : stretches.nodes) {
    if (stretches.Waits(node) || !IsOfOptimizer(graph, node) ||
        !parts.IsBehindBackward(input, node))
      continue;
    without.SetDuration(node, 0);
    sums.Add(node, static_cast<double>(graph.nodes()[node].duration_ns));
  }
  // Time of a step on one rank, which a share of the optimizer's must be.
  if (sums.empty() || sums.LostPerStep() < kLowGain * input.step_ns()) return std::nullopt;
  Cause cause;
  sums.TellIn(cause);
  cause.without = std::move(without);
  cause.what = fmt::format(
      "the optimizer runs on the host: {} a step, between copies of gradients "
      "to the host and of parameters back",
      TimeText(sums.LostPerStep()));
  return cause;
}

}  // namespace

const Rule& OptimizerOnHostRule() {
  static const Rule kRule{
      .id = "optimizer-on-host",
      .summary = "the optimizer runs on the CPU",
      .takes = Takes::kHostWork,
      .needs = RuleNeeds::kDevice,
      .find = Find,
      .why =
          "behind the backward, host ops of an optimizer of 200 us and more between copies to the "
          "host and back to the device; replayed without them and these copies, which leaves out "
          "what the optimizer would take on the device",
      .recommendation =
          "Keep the optimizer's state on the device (shard it: ZeRO, FSDP; 8-bit states), or "
          "offload "
          "a part of it alone and overlap its copies with the backward (DeepSpeed: "
          "offload_optimizer with ratio, delayed parameter update).",
      .command = "rankscope table copies TRACES",
  };
  return kRule;
}

}  // namespace rankscope
