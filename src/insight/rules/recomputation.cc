// recomputation: forward work is done again during backward (activation checkpointing).
#include <fmt/core.h>

#include <array>

#include "insight/base/cause_tools.h"
#include "insight/evidence/removal.h"
#include "insight/evidence/selection.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

// Collectives stay: parameters that are gathered again for backward (FSDP) are needed there, too.
bool IsAgain(const NodeKind& kind) {
  return kind.recomputed && (kind.work == Work::kCompute || kind.work == Work::kCopy);
}

// Its kernels, what launches them, and the host's part of the functions that run again.
Scenario Without(const RuleInput& input, const Selection& again) {
  const JobGraph& graph = input.graph();
  std::vector<bool> device(graph.nodes().size(), false);
  for (NodeId node = 0; node < device.size(); ++node) device[node] = again.Has(node);
  std::vector<bool> gone = WithLaunches(graph, std::move(device));
  for (NodeId node = 0; node < gone.size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.recomputed && !IsDevice(kind.work) && graph.StepOf(node) != kNoStep) gone[node] = true;
  }
  Scenario scenario = input.recorded();
  Remove(gone, scenario);
  return scenario;
}

std::optional<Cause> Find(const RuleInput& input) {
  const Selection again = SelectKinds(input, [](const NodeKind& kind) { return IsAgain(kind); });
  if (again.sums().empty()) return std::nullopt;
  Cause cause;
  again.sums().TellIn(cause);
  cause.what = fmt::format(
      "backward does forward work again, {:.0f} kernels a step, {} in all: activation "
      "checkpointing saves memory for it",
      again.sums().CountPerStep(), TimeText(again.sums().LostPerStep()));
  cause.without = Without(input, again);
  cause.is_trade = true;
  return cause;
}

constexpr std::array<Advice, 2> kAdvice = {{
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kMegatron; },
     "Where memory is free, --recompute-granularity selective in place of full, or fewer "
     "--recompute-num-layers."},
    {[](const Setting& of) { return of.trainer == Setting::Trainer::kTransformers; },
     "Where memory is free, TrainingArguments(gradient_checkpointing=False), or a larger batch "
     "that needs it."},
}};

}  // namespace

const Rule& RecomputationRule() {
  static const Rule kRule{
      .id = "recomputation",
      .summary = "backward does forward work again (activation checkpointing)",
      .find = Find,
      .why =
          "ops inside torch.utils.checkpoint's recomputation, or that record themselves for "
          "autograd during backward as forward's did; replayed without them. Whether the memory "
          "that it saves is needed, the recordings do not show",
      .recommendation =
          "Where memory is free (rankscope table memory_peaks), checkpoint fewer layers, or only "
          "what is cheap to do again (torch.utils.checkpoint's context_fn with selective "
          "policies); else use what it saves for a larger batch.",
      .command = "rankscope table recomputation TRACES",
      .advice = kAdvice,
  };
  return kRule;
}

}  // namespace rankscope
