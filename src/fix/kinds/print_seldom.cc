#include <fmt/core.h>

#include <algorithm>
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

template <std::size_t N>
bool IsOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Whether a call reads or formats a value, and does nothing else.
bool OnlyReads(const Node& call) {
  constexpr std::array<std::string_view, 6> kFunctions = {"format", "len", "round",
                                                          "float",  "int", "str"};
  constexpr std::array<std::string_view, 6> kMethods = {"item", "format", "detach",
                                                        "cpu",  "tolist", "numpy"};
  const Node function = call.Field("function");
  return function.Is("attribute") ? IsOneOf(function.Field("attribute").text(), kMethods)
                                  : IsOneOf(function.text(), kFunctions);
}

// Whether an identifier of a body is given a value there.
bool IsGivenValue(const Node& identifier) {
  Node target = identifier;
  while (target.parent().kind().ends_with("pattern") || target.parent().Is("pattern_list"))
    target = target.parent();
  const Node around = target.parent();
  constexpr std::array<std::string_view, 4> kStatements = {
      "as_pattern_target", "delete_statement", "global_statement", "nonlocal_statement"};
  return IsTarget(identifier) || (around.Is("for_statement") && target.field() == "left") ||
         (around.Is("named_expression") && target.field() == "name") ||
         IsOneOf(around.kind(), kStatements);
}

// Why it has to be made in every step; "" where it has not.
std::string WhyInEveryStep(const Node& print, const std::string& counter, const StepLoop& step) {
  const Node call = print.children().front();
  if (Keyword(call, "file")) return "it is written to a file";
  for (const std::string_view kind : {"named_expression", "await", "yield"})
    if (!call.All(kind).empty()) return "its arguments do more than to be shown";
  for (const Node& inside : call.All("call"))
    if (inside != call && !OnlyReads(inside))
      return fmt::format("{} may do more than to be shown", inside.Field("function").text());
  for (const Node& use : UsesOf(counter, step.body))
    if (IsGivenValue(use)) return fmt::format("{} is given another value in the loop", counter);
  return {};
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
  if (const std::string why = WhyInEveryStep(print, counter, step); !why.empty()) {
    look.Leave(std::move(site), "print every 50th step alone: " + why);
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

void LookForPrintSeldom(Look& look) {
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
  static const Kind kKind = {.name = "print-seldom",
                             .findings = {"host-sync"},
                             .looks_for =
                                 "a print of the loss, or of `.item()`, `.cpu()`, `.tolist()`, "
                                 "`.numpy()`, which does nothing "
                                 "else, in every step of a loop that counts its steps",
                             .writes = "`if i % 50 == 0:` before it",
                             .undo = "remove the `if` and move the print back",
                             .stacks = Stacks::kNameIt,
                             .look = LookForPrintSeldom};
  return kKind;
}

}  // namespace rankscope::fix
