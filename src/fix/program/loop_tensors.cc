#include "fix/program/loop_tensors.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "fix/python/calls.h"

namespace rankscope::fix {

bool LeavesTorch(std::string_view text) {
  constexpr std::array<std::string_view, 6> kSigns = {"numpy",  "np.",    ".tolist(",
                                                      ".item(", "float(", "int("};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return Contains(text, sign); });
}

namespace {

// Whether the left side of an assignment is that name, or has it in a list.
bool IsGivenTo(const Node& left, std::string_view name) {
  return left.text() == name ||
         std::ranges::any_of(left.children(), [&](const Node& one) { return one.text() == name; });
}

}  // namespace

NameSet LossesOf(const StepLoop& step) {
  NameSet losses;
  for (const Node& call : MethodCalls(step.body, "backward")) {
    Node loss = ObjectOf(call, "backward");
    if (ObjectOf(loss, "scale") && PlainArguments(loss).size() == 1)
      loss = PlainArguments(loss).front();
    if (loss.Is("parenthesized_expression") && loss.children().size() == 1)
      loss = loss.children().front();
    if (loss.Is("binary_operator") && loss.Field("operator").text() == "/")
      loss = loss.Field("left");
    if (!loss.Is("identifier") && !loss.Is("attribute")) continue;
    // It may be something else by then.
    const bool is_changed =
        std::ranges::any_of(step.body.All("assignment"), [&](const Node& assignment) {
          return assignment.begin() > call.begin() &&
                 IsGivenTo(assignment.Field("left"), loss.text());
        });
    if (!is_changed) losses.emplace(loss.text());
  }
  return losses;
}

bool UsesAny(const Node& node, const NameSet& names) {
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return !UsesOf(name, node).empty(); });
}

NameSet TensorNames(const StepLoop& step, const NameSet& losses) {
  NameSet names = losses;
  const std::vector<Node> assignments = step.body.All("assignment");
  for (const Node& assignment : assignments)
    if (losses.contains(assignment.Field("left").text()))
      for (const Node& call : assignment.Field("right").All("call"))
        for (const Node& argument : PlainArguments(call))
          if (argument.Is("identifier")) names.emplace(argument.text());
  for (const Node& assignment : assignments)
    if (UsesAny(assignment.Field("right"), names))
      for (const Node& name : assignment.Field("left").All("identifier"))
        names.emplace(name.text());
  for (const Node& assignment : assignments)
    if (LeavesTorch(assignment.Field("right").text()))
      for (const Node& name : assignment.Field("left").All("identifier"))
        names.erase(std::string(name.text()));
  return names;
}

}  // namespace rankscope::fix
