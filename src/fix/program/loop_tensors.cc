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

TextSet LossesOf(const StepLoop& step) {
  TextSet losses;
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
                 Contains(assignment.Field("left").text(), loss.text());
        });
    if (!is_changed) losses.emplace(loss.text());
  }
  return losses;
}

bool UsesAny(const Node& node, const TextSet& names) {
  return std::ranges::any_of(names,
                             [&](const std::string& name) { return !UsesOf(name, node).empty(); });
}

TextSet TensorNames(const StepLoop& step, const TextSet& losses) {
  TextSet names = losses;
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
