// recomputation: forward work is done again during backward (activation checkpointing).
#include <fmt/core.h>

#include <array>

#include "insight/base/cause_tools.h"
#include "insight/evidence/kernels/done_again.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindRecomputation(const RuleInput& input) {
  const Selection again = SelectDoneAgain(input, Again::kForward);
  if (again.sums().empty()) return std::nullopt;
  Cause cause;
  again.sums().TellIn(cause);
  cause.what = fmt::format(
      "backward does forward work again, {}, {} in all: activation "
      "checkpointing saves memory for it",
      CountAStep(again.sums().CountPerStep(), "kernel").text, TimeText(again.sums().LostPerStep()));
  cause.without = WithoutDoneAgain(input, again, Again::kForward);
  cause.is_trade = true;
  return cause;
}

constexpr std::array<Advice, 2> kRecomputationAdvice = {{
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
      .find = FindRecomputation,
      .why =
          "ops inside torch.utils.checkpoint's recomputation, or that record themselves for "
          "autograd during backward as forward's did; replayed without them. Whether the memory "
          "that it saves is needed, the recordings do not show",
      .recommendation =
          "Where memory is free (rankscope table memory_peaks), checkpoint fewer layers, or only "
          "what is cheap to do again (torch.utils.checkpoint's context_fn with selective "
          "policies); else use what it saves for a larger batch.",
      .command = "rankscope table recomputation TRACES",
      .shown_in = {"modules", "ops_by_name"},
      .advice = kRecomputationAdvice,
  };
  return kRule;
}

}  // namespace rankscope
