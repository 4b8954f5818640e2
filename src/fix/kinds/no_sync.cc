#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "fix/kinds/kinds.h"
#include "fix/program/forward.h"
#include "fix/program/loops.h"
#include "fix/program/main_program.h"
#include "fix/program/models.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

bool IsDdp(const SourceFile& file, const std::string& model) {
  for (const Node& call : DdpCalls(file)) {
    const Node assignment = call.parent();
    if (assignment.Is("assignment") && assignment.Field("left").text() == model) return true;
  }
  return false;
}

// The condition of the `if` behind `backward` under which the optimizer steps; none where there is
// none that counts micro-batches.
Node StepCondition(const StepLoop& step) {
  for (const Node& statement : step.body.children()) {
    if (!statement.Is("if_statement") || statement.begin() < step.backward.begin()) continue;
    const Node condition = statement.Field("condition");
    if (!MethodCalls(statement.Field("consequence"), "step").empty() &&
        Contains(condition.text(), "%"))
      return condition;
  }
  return {};
}

// "part == 4 - 1" of `for part in range(4)`, behind which the optimizer steps; "" for other loops.
std::string LastOfRange(const StepLoop& step, const Names& names) {
  const Node target = step.loop.Field("left"), range = step.loop.Field("right");
  const std::vector<Node> count = PlainArguments(range);
  if (!target.Is("identifier") || range.Field("function").text() != "range" ||
      !names.Of("range", range).empty() || count.size() != 1 ||
      !(count[0].Is("identifier") || count[0].Is("integer") || count[0].Is("attribute")))
    return {};
  for (const Node& use : UsesOf(target.text(), step.body))
    if (IsTarget(use)) return {};
  for (const Node& statement : step.loop.parent().children())
    if (statement.begin() > step.loop.begin() && !MethodCalls(statement, "step").empty())
      return fmt::format("{} == {} - 1", target.text(), count[0].text());
  return {};
}

// Whether it says before the forward pass what it says behind: names and numbers alone, none of
// which the statements change.
bool HoldsBefore(const Node& condition, const Forward& forward) {
  for (const Node& call : condition.All("call"))
    if (call.Field("function").text() != "len") return false;
  const Node block = forward.first.parent();
  for (const Node& name : condition.All("identifier"))
    for (const Node& use : UsesOf(name.text(), block))
      if (use.begin() >= forward.first.begin() && use.end() <= forward.backward.end() &&
          IsTarget(use))
        return false;
  return condition.text().find('\n') == std::string_view::npos;
}

std::string WhyNot(const SourceFile& file, const StepLoop& step, const Forward& forward,
                   const Node& condition, const std::string& last) {
  if (!forward.why_not.empty()) return forward.why_not;
  if (!IsDdp(file, forward.model)) return forward.model + " is not seen to be wrapped by DDP";
  if (forward.backward.parent() != step.body) return "backward stands in an inner block";
  if (last.empty()) return "no `if` with a count of micro-batches says when the optimizer steps";
  if (condition && !HoldsBefore(condition, forward)) return "its condition may change in the step";
  if (!CanImport(file, "contextlib", step.loop))
    return "where `import contextlib` goes is not certain";
  return {};
}

void LookAtStepNoSync(Look& look, std::size_t index, const StepLoop& step) {
  const SourceFile& file = look.project().file(index);
  const Forward forward = ForwardOf(file, step);
  const Node condition = StepCondition(step);
  Site site{.file = index,
            .at = forward.backward,
            .group = step.loop,
            .shown = {step.loop},
            .is_in_training = true};
  const std::string last =
      condition ? std::string(condition.text()) : LastOfRange(step, file.names());
  std::string why = WhyNot(file, step, forward, condition, last);
  std::vector<Edit> edits;
  if (why.empty()) {
    const std::string header =
        fmt::format("with contextlib.nullcontext() if {} else {}.no_sync():", last, forward.model);
    edits = Below(file.syntax(), header, forward.first, forward.backward);
    if (edits.empty()) why = "a text over several lines stands in the step";
  }
  if (!why.empty()) {
    look.Leave(std::move(site), "reduce gradients in the last micro-batch alone (no_sync): " + why);
    return;
  }
  for (Edit& import : ImportFor(file, "contextlib", step.loop)) edits.push_back(std::move(import));
  look.Propose(
      {.site = std::move(site),
       .edits = std::move(edits),
       .what = "gradients are reduced in the last micro-batch alone",
       .undo =
           "remove the line `with contextlib.nullcontext() ...` and move what is below it back"});
}

void LookForNoSync(Look& look) {
  if (look.project().Mentions("no_sync")) return;
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    const SourceFile& file = look.project().file(index);
    for (const StepLoop& step : StepLoops(file.syntax())) LookAtStepNoSync(look, index, step);
  }
}

}  // namespace

const Kind& NoSync() {
  static const Kind kKind = {
      .name = "no-sync",
      .findings = {"grad-sync-repeated"},
      .looks_for =
          "a loop over micro-batches of a model in DDP, whose optimizer steps under an "
          "`if` with `%`",
      .writes =
          "`with contextlib.nullcontext() if LAST else model.no_sync():` around forward and "
          "backward",
      .undo = "remove the `with` and move the statements back",
      .stacks = Stacks::kSilent,
      .look = LookForNoSync};
  return kKind;
}

}  // namespace rankscope::fix
