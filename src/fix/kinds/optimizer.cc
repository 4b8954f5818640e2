#include <fmt/core.h>

#include <string>
#include <vector>

#include "fix/kinds/keyword_wishes.h"
#include "fix/kinds/kinds.h"
#include "fix/program/devices.h"
#include "fix/program/models.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

// Those with `fused` on CUDA devices since PyTorch 2.0.
bool HasFused(const std::string& name) { return name == "Adam" || name == "AdamW"; }

bool HasForeach(const std::string& name) {
  for (const std::string_view known : {"SGD", "Adam", "AdamW", "NAdam", "RAdam", "Adamax",
                                       "Adagrad", "Adadelta", "RMSprop", "Rprop", "ASGD"})
    if (name == known) return true;
  return false;
}

// Before 2.3 a fused optimizer takes parameters only that are on a device when it is made. So that
// has to be seen: the model whose parameters it is given is placed in a statement above.
bool IsModelPlaced(const SourceFile& file, const Node& call) {
  const std::vector<Node> plain = PlainArguments(call);
  const Node model =
      ObjectOf(plain.empty() ? Keyword(call, "params") : plain.front(), "parameters");
  for (const Node& placing : file.syntax().All("call")) {
    const Node placed = PlacedBy(placing);
    if (!model || !placed || placing.begin() > call.begin() || ScopeOf(placing) != ScopeOf(call))
      continue;
    const Node assigned =
        placing.parent().Is("assignment") ? placing.parent().Field("left") : placed;
    if (assigned.text() == model.text()) return true;
  }
  return false;
}

// A group for each parameter leaves nothing to fuse.
bool HasGroupsOfOne(const Node& call) {
  const std::vector<Node> plain = PlainArguments(call);
  const Node parameters = plain.empty() ? Keyword(call, "params") : plain.front();
  return parameters.Is("list_comprehension") && parameters.Field("body").Is("dictionary");
}

// Where steps are made of what this call gives.
std::vector<Node> StepsOf(const SourceFile& file, const Node& call) {
  std::vector<Node> steps = {call};
  const Node name = call.parent().Is("assignment") ? call.parent().Field("left") : Node();
  for (const Node& step : MethodCalls(file.syntax().root(), "step"))
    if (name && ObjectOf(step, "step").text() == name.text()) steps.push_back(step);
  return steps;
}

void LookAtFusing(Look& look, std::size_t index, const OptimizerCall& optimizer) {
  const SourceFile& file = look.project().file(index);
  const Node& call = optimizer.call;
  Site site{.file = index,
            .at = call,
            .group = call,
            .shown = StepsOf(file, call),
            .is_in_training = false};
  if (!HasForeach(optimizer.name)) {
    look.Leave(std::move(site),
               fmt::format("{} has neither a fused nor a foreach form", optimizer.name));
    return;
  }
  if (HasGroupsOfOne(call)) {
    look.Leave(
        std::move(site),
        "each parameter is a group of its own, so there is nothing to fuse: make one group of "
        "all that share their settings");
    return;
  }
  if (Keyword(call, "differentiable").Is("true")) {
    look.Leave(std::move(site), "a differentiable optimizer cannot be fused");
    return;
  }
  const std::string_view fused = Keyword(call, "fused").text();
  const bool is_decided = !fused.empty() && fused != "False" && fused != "None";
  if (is_decided || Keyword(call, "foreach").text() == "True") {
    look.Right(std::move(site));
    return;
  }
  // Programs that run without CUDA devices, too, say so.
  const bool may_lack_cuda = look.project().Mentions("is_available");
  const std::string torch = file.names().ModuleName("torch", call);
  const std::string value = may_lack_cuda ? torch + ".cuda.is_available()" : "True";
  if (HasFused(optimizer.name) && IsModelPlaced(file, call) && !(may_lack_cuda && torch.empty()))
    ProposeWishes(look, std::move(site), call,
                  {{"foreach", "", {"False", "None"}}, {"fused", value, {"False", "None"}, true}});
  else
    ProposeWishes(look, std::move(site), call,
                  {{"fused", "", {"False", "None"}}, {"foreach", "True", {"False", "None"}, true}});
}

void LookForOptimizer(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const OptimizerCall& optimizer : OptimizersOf(look.project().file(index)))
      LookAtFusing(look, index, optimizer);
}

}  // namespace

const Kind& Optimizer() {
  static const Kind kKind = {
      .name = "optimizer",
      .findings = {"unfused-optimizer", "launch-bound"},
      .looks_for = "an optimizer of torch.optim that is neither fused nor foreach",
      .writes =
          "`fused=True` (PyTorch 2.0; `torch.cuda.is_available()` in a program that mentions it) "
          "for Adam and AdamW whose model is on a device by then, else `foreach=True` (1.12)",
      .undo = "remove the argument",
      .stacks = Stacks::kNarrowIt,
      .look = LookForOptimizer};
  return kKind;
}

}  // namespace rankscope::fix
