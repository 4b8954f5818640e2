// unused-forward: forward work is done for a backward that never comes.
#include <fmt/core.h>

#include <string>
#include <utility>

#include "insight/base/cause_tools.h"
#include "insight/evidence/kernels/done_again.h"
#include "insight/evidence/steps/few_steps.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> CauseOf(const RuleInput& input, Again again) {
  const Selection work = SelectDoneAgain(input, again);
  // In single steps it is an evaluation.
  if (work.sums().empty() || LieInFewSteps(input, work.sums().nodes())) return std::nullopt;
  Cause cause;
  work.sums().TellIn(cause);
  cause.without = WithoutDoneAgain(input, work, again);
  cause.gain_method = "bound";
  cause.confidence = 0.7;
  const std::string work_text = fmt::format("forward work of {}, {} in all,",
                                            CountAStep(work.sums().CountPerStep(), "kernel").text,
                                            TimeText(work.sums().LostPerStep()));
  // A teacher or a reference, with weights that are frozen, may have the same layers.
  cause.is_unproven = true;
  if (again == Again::kUnused) {
    cause.what =
        fmt::format("{} is done like that beside it, and no backward comes of it", work_text);
    return cause;
  }
  cause.what = fmt::format(
      "{} has the ops and inputs of the training's own forward, but runs without gradients",
      work_text);
  cause.why =
      "ops without sequence numbers (torch.no_grad), of which the same with the same inputs have a "
      "backward in the step; replayed without them. Whether it is the same model, and what its "
      "result is used for, the recordings do not show";
  cause.recommendation =
      "Is it the same model (for metrics or a log)? Take the result of the forward that trains, or "
      "do it in few steps. Is it a reference model or a teacher whose weights and inputs stay the "
      "same? Compute its outputs once, ahead of training (TRL: precompute_ref_log_probs=True). A "
      "teacher that is averaged from the model, or that sees new inputs in each step, is needed.";
  return cause;
}

std::optional<Cause> FindUnusedForward(const RuleInput& input) {
  std::optional<Cause> unused = CauseOf(input, Again::kUnused);
  std::optional<Cause> without = CauseOf(input, Again::kWithoutGradients);
  const auto lost = [](const std::optional<Cause>& cause) {
    return cause ? cause->lost_ns.value_or(0) : -1;
  };
  return lost(without) > lost(unused) ? std::move(without) : std::move(unused);
}

}  // namespace

const Rule& UnusedForwardRule() {
  static const Rule kRule{
      .id = "unused-forward",
      .summary = "forward work is done for a backward that never comes",
      .find = FindUnusedForward,
      .why =
          "ops that record themselves for autograd, by sequence numbers that no node of backward "
          "has, where the same ops with the same inputs have one in the step; replayed without "
          "them. Whether it is the same model, and what its result is used for, the recordings do "
          "not show",
      .recommendation =
          "Is it the same model? Call it once, and keep its result: for the loss, metrics and "
          "logging alike; a result that is only looked at: less often, under torch.no_grad(). Is "
          "it "
          "a reference or a teacher whose weights and inputs stay the same? Compute its outputs "
          "once, ahead of training.",
      .command = "rankscope table ops_by_name TRACES",
  };
  return kRule;
}

}  // namespace rankscope
