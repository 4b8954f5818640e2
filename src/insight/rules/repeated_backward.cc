// repeated-backward: backward goes through the same part of the graph several times.
#include <fmt/core.h>

#include "insight/base/cause_tools.h"
#include "insight/evidence/kernels/done_again.h"
#include "insight/rules/rules.h"

namespace rankscope {
namespace {

std::optional<Cause> FindRepeatedBackward(const RuleInput& input) {
  const Selection again = SelectDoneAgain(input, Again::kBackward);
  if (again.sums().empty()) return std::nullopt;
  Cause cause;
  again.sums().TellIn(cause);
  cause.what = fmt::format(
      "backward goes again through a part of the graph that it has been through in the same step: "
      "{}, {} in all",
      CountAStep(again.sums().CountPerStep(), "kernel").text, TimeText(again.sums().LostPerStep()));
  cause.without = WithoutDoneAgain(input, again, Again::kBackward);
  return cause;
}

}  // namespace

const Rule& RepeatedBackwardRule() {
  static const Rule kRule{
      .id = "repeated-backward",
      .summary = "backward goes several times through the same graph",
      .find = FindRepeatedBackward,
      .why =
          "nodes of autograd's graph that the engine evaluates more than once, by the sequence "
          "numbers of their forward ops, and not to differentiate them again (create_graph); "
          "replayed with the first time alone",
      .recommendation =
          "Add up losses that share a part of the model, and call backward() once; detach() what "
          "a pass needs no gradients through (a generator's output in the discriminator's step), "
          "or requires_grad_(False) meanwhile. retain_graph=True shows the places. For rows of a "
          "Jacobian torch.func.vmap, or is_grads_batched=True.",
      .command = "rankscope table ops_by_name TRACES",
  };
  return kRule;
}

}  // namespace rankscope
