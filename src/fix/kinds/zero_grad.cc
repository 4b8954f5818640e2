#include <string>

#include "base/text.h"
#include "fix/kinds/keyword_wishes.h"
#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

Node GroupOf(const Node& node) {
  for (const std::string_view kind : {"for_statement", "while_statement", "function_definition"})
    if (const Node around = node.Around(kind)) return around;
  return node;
}

Site SiteOf(std::size_t index, const Node& at) {
  const Node group = GroupOf(at);
  return {.file = index,
          .at = at,
          .group = group,
          .shown = {StatementOf(at)},
          .is_in_training = Trains(group)};
}

// `p.grad.zero_()` of a parameter, where the loop goes through X.parameters().
bool IsOverParameters(const Node& loop, std::string_view name) {
  return loop.Is("for_statement") && loop.Field("left").text() == name &&
         ObjectOf(loop.Field("right"), "parameters");
}

constexpr const char* kNote = "the optimizer then leaves out parameters without a gradient";

// Whether the program does more with gradients than to compare them with None and zero them.
bool UsesGradients(const Project& project) {
  for (std::size_t index = 0; index < project.size(); ++index) {
    for (const Node& gradient : project.file(index).syntax().All("attribute")) {
      if (gradient.Field("attribute").text() != "grad") continue;
      const Node around = gradient.parent();
      const bool is_let_go = around.Is("assignment") && around.Field("left") == gradient &&
                             around.Field("right").Is("none");
      const bool is_zeroed = ObjectOf(around.parent(), "zero_") == gradient;
      const bool is_compared = around.Is("comparison_operator") && Contains(around.text(), "None");
      const bool is_function = gradient.text() == "torch.autograd.grad";
      if (!is_let_go && !is_zeroed && !is_compared && !is_function) return true;
    }
  }
  return false;
}

constexpr const char* kUses =
    "let gradients go (set_to_none): the program uses .grad itself, and would find None";

void LookAtZeroing(Look& look, std::size_t index, const Node& call) {
  const Node gradient = ObjectOf(call, "zero_");
  if (!gradient.Is("attribute") || gradient.Field("attribute").text() != "grad") return;
  const Node loop = call.Around("for_statement");
  const Node statement = StatementOf(call);
  if (!IsOverParameters(loop, gradient.Field("object").text())) return;
  if (!statement.Is("expression_statement") || statement.text() != call.text()) return;
  if (UsesGradients(look.project())) {
    look.Leave(SiteOf(index, call), kUses);
    return;
  }
  look.Propose({.site = SiteOf(index, call),
                .edits = {{call.begin(), call.end(), std::string(gradient.text()) + " = None"}},
                .what = std::string("gradients are let go, not set to zero; ") + kNote,
                .undo = "write " + std::string(call.text()) + " again"});
}

void LookForZeroGrad(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    const Node root = look.project().file(index).syntax().root();
    for (const Node& call : MethodCalls(root, "zero_grad")) {
      if (Keyword(call, "set_to_none").Is("false") && UsesGradients(look.project()))
        look.Leave(SiteOf(index, call), kUses);
      else
        ProposeWishes(look, SiteOf(index, call), call, {{"set_to_none", "", {"False"}}}, kNote);
    }
    for (const Node& call : MethodCalls(root, "zero_")) LookAtZeroing(look, index, call);
  }
}

}  // namespace

const Kind& ZeroGrad() {
  static const Kind kKind = {
      .name = "zero-grad",
      .findings = {"unfused-optimizer", "launch-bound", "memory-pressure"},
      .looks_for =
          "`zero_grad(set_to_none=False)`, and `p.grad.zero_()` in a loop over parameters, in a "
          "program "
          "that uses `.grad` for nothing else",
      .writes = "`zero_grad()`, whose default since PyTorch 2.0 lets gradients go; `p.grad = None`",
      .undo = "write what stood there",
      .stacks = Stacks::kNarrowIt,
      .look = LookForZeroGrad};
  return kKind;
}

}  // namespace rankscope::fix
