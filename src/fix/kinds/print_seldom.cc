#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

constexpr int kSteps = 50;

// A statement that prints and does nothing else.
bool IsPrint(const Node& statement, const Names& names) {
  const std::vector<Node> inside = statement.children();
  return statement.Is("expression_statement") && inside.size() == 1 && inside[0].Is("call") &&
         inside[0].Field("function").text() == "print" && names.Of("print", statement).empty();
}

// Whether it makes the host wait: it reads a value, or shows what `backward` was called of.
bool ReadsDevice(const Node& print, const StepLoop& step) {
  for (const std::string_view method : {"item", "cpu", "tolist", "numpy"})
    if (!MethodCalls(print, method).empty()) return true;
  const Node loss = ObjectOf(step.backward, "backward");
  return loss.Is("identifier") && !UsesOf(loss.text(), print).empty();
}

void LookAtPrint(Look& look, std::size_t index, const Node& print, const StepLoop& step) {
  const SourceFile& file = look.project().file(index);
  Site site{
      .file = index, .at = print, .group = step.loop, .shown = {print}, .is_in_training = true};
  if (print.parent() != step.body) {
    // Below an `if` or elsewhere it is up to the program how often.
    look.Right(std::move(site));
    return;
  }
  const std::string counter = LoopIndex(step.loop);
  if (counter.empty()) {
    look.Leave(std::move(site),
               "print every 50th step alone: this loop does not count its steps (enumerate)");
    return;
  }
  const std::string header = fmt::format("if {} % {} == 0:", counter, kSteps);
  std::vector<Edit> edits = Below(file.syntax(), header, print, print);
  if (edits.empty()) {
    look.Leave(std::move(site), "print every 50th step alone: the statement shares its lines");
    return;
  }
  look.Propose({.site = std::move(site),
                .edits = std::move(edits),
                .what = fmt::format("it is printed every {}th step", kSteps),
                .undo = fmt::format("remove `{}` and move the print back", header)});
}

void LookFor(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    const SourceFile& file = look.project().file(index);
    for (const StepLoop& step : StepLoops(file.syntax()))
      for (const Node& statement : step.body.All("expression_statement"))
        if (IsPrint(statement, file.names()) && ReadsDevice(statement, step) &&
            !IsInInnerFunction(statement, step.loop))
          LookAtPrint(look, index, statement, step);
  }
}

}  // namespace

const Kind& PrintSeldom() {
  static const Kind kKind = {
      .name = "print-seldom",
      .findings = {"host-sync"},
      .looks_for =
          "a print of the loss, or of `.item()`, `.cpu()`, `.tolist()`, `.numpy()`, in every step "
          "of a loop that counts its steps",
      .writes = "`if i % 50 == 0:` before it",
      .undo = "remove the `if` and move the print back",
      .stacks = Stacks::kNameIt,
      .look = LookFor};
  return kKind;
}

}  // namespace rankscope::fix
