// unused-forward: forward work is done for a backward that never comes.
#include <fmt/core.h>

#include <set>

#include "insight/base/cause_tools.h"
#include "insight/evidence/done_again.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindUnusedForward(const RuleInput& input) {
  const Selection unused = SelectDoneAgain(input, Again::kUnused);
  if (unused.sums().empty()) return std::nullopt;
  // In single steps it is an evaluation.
  std::set<std::uint32_t> steps;
  for (const NodeId node : unused.sums().nodes()) steps.insert(input.graph().StepOf(node));
  if (2 * steps.size() < input.counted().size()) return std::nullopt;
  Cause cause;
  unused.sums().TellIn(cause);
  cause.what = fmt::format(
      "forward work of {:.0f} kernels a step, {} in all, is done like that beside it, and no "
      "backward comes of it",
      unused.sums().CountPerStep(), TimeText(unused.sums().LostPerStep()));
  cause.without = WithoutDoneAgain(input, unused, Again::kUnused);
  cause.gain_method = "bound";
  cause.confidence = 0.7;
  return cause;
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
          "them. Whether their result is used otherwise, the recordings do not show",
      .recommendation =
          "Call the model once, and keep its result: for the loss, metrics and logging alike. A "
          "result that is only looked at: less often, under torch.no_grad().",
      .command = "rankscope table ops_by_name TRACES",
  };
  return kRule;
}

}  // namespace rankscope
