#include "fix/kinds/device_reads.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "fix/program/loop_tensors.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {

Site SiteOf(std::size_t index, const Node& at, const StepLoop& step) {
  return {.file = index,
          .at = at,
          .group = step.loop,
          .shown = {StatementOf(at)},
          .is_in_training = true};
}

Node ReadOf(const Node& sum) {
  if (sum.Field("operator").text() != "+=" || !sum.Field("left").Is("identifier")) return {};
  Node value = sum.Field("right");
  if (value.Is("binary_operator") && value.Field("operator").text() == "*")
    value = ObjectOf(value.Field("left"), "item") ? value.Field("left") : value.Field("right");
  const bool is_read = ObjectOf(value, "item") && ArgumentsOf(value).children().empty();
  return is_read && MethodCalls(sum, "item").size() == 1 ? value : Node();
}

namespace {

// An `if` above in the loop that may go on with the next step.
bool IsBehindContinue(const Node& node, const StepLoop& step) {
  for (const Node& statement : step.body.children()) {
    if (statement.Holds(node)) return false;
    if (statement.Is("if_statement") && !statement.All("continue_statement").empty()) return true;
  }
  return false;
}

// Whether it is up to the program how often a call is made, or another patch looks at it. The
// condition of an `if` is looked at in every step, but for what stands behind an `and` or `or`.
bool IsSeenTo(const Node& call, const StepLoop& step) {
  if (IsInInnerFunction(call, step.loop) || IsBehindContinue(call, step)) return true;
  for (Node around = call.parent(), inside = call; around && around != step.body;
       inside = around, around = around.parent()) {
    const bool is_print = around.Is("call") && around.Field("function").text() == "print";
    const bool is_guarded = around.Is("if_statement") && inside != around.Field("condition");
    const bool is_second = around.Is("boolean_operator") && inside == around.Field("right");
    // `value if condition else other`
    const bool is_choice = around.Is("conditional_expression") && inside != around.children().at(1);
    if (is_print || is_guarded || is_second || is_choice) return true;
    if (around.Is("augmented_assignment") && ReadOf(around)) return true;
  }
  return false;
}

// Of the names that hold tensors those that surely do: not sizes, lists and texts of tensors.
NameSet SureTensors(const StepLoop& step) {
  constexpr std::array<std::string_view, 12> kSigns = {".size(", ".shape",  "len(",       ".numel(",
                                                       ".dim(",  ".ndim",   "range(",     "str(",
                                                       ".dtype", ".device", "enumerate(", "zip("};
  constexpr std::array<std::string_view, 8> kKinds = {
      "list",   "tuple",          "set", "dictionary", "list_comprehension", "generator_expression",
      "string", "expression_list"};
  NameSet names = TensorNames(step, LossesOf(step));
  for (const Node& assignment : step.body.All("assignment")) {
    const Node right = assignment.Field("right");
    const bool is_other =
        std::ranges::any_of(kSigns,
                            [&](std::string_view sign) { return Contains(right.text(), sign); }) ||
        std::ranges::any_of(kKinds, [&](std::string_view kind) { return right.Is(kind); });
    if (!is_other) continue;
    for (const Node& name : assignment.Field("left").All("identifier"))
      names.erase(std::string(name.text()));
  }
  return names;
}

void LeaveRead(Look& look, std::size_t index, const Node& at, const StepLoop& step,
               std::string_view read) {
  look.Leave(SiteOf(index, at, step),
             fmt::format("{} waits for the device in every step: keep the value there, and read it "
                         "behind the loop or every 50th step",
                         read));
}

// `loss > 100`, not `loss is None` or `loss in seen`.
bool ComparesTensor(const Node& condition, const NameSet& tensors) {
  constexpr std::array<std::string_view, 6> kValues = {"<", ">", "<=", ">=", "==", "!="};
  const std::vector<Node> sides = condition.children();
  const std::string_view sign = condition.Field("operators").text();
  return sides.size() == 2 && std::ranges::find(kValues, sign) != kValues.end() &&
         std::ranges::any_of(sides, [&](const Node& side) {
           return side.Is("identifier") && tensors.contains(side.text());
         });
}

// `torch.isnan(x)`, `(x > 1).any()`, `not torch.isfinite(x).all()`, `x > 1`: a tensor, of which
// Python asks whether it is true.
bool IsTruthOfTensor(Node condition, const NameSet& tensors) {
  if (condition.Is("not_operator")) condition = condition.Field("argument");
  if (condition.Is("parenthesized_expression") && condition.children().size() == 1)
    condition = condition.children().front();
  // What stands first is looked at in every step.
  if (condition.Is("boolean_operator")) return IsTruthOfTensor(condition.Field("left"), tensors);
  if (condition.Is("comparison_operator")) return ComparesTensor(condition, tensors);
  if (!condition.Is("call") || LeavesTorch(condition.text()) || !UsesAny(condition, tensors))
    return false;
  const std::string_view function = condition.Field("function").text();
  constexpr std::array<std::string_view, 8> kTruths = {
      "torch.isnan", "torch.isinf", "torch.isfinite", "torch.any",
      "torch.all",   "torch.equal", "torch.allclose", "torch.eq"};
  return std::ranges::find(kTruths, function) != kTruths.end() || ObjectOf(condition, "any") ||
         ObjectOf(condition, "all");
}

// `float(x)` and `int(x)`: which of the two, or "".
std::string_view NumberFunction(const Node& call, const NameSet& tensors) {
  const std::vector<Node> arguments = PlainArguments(call);
  const std::string_view function = call.Field("function").text();
  const bool is_one = (function == "float" || function == "int") && arguments.size() == 1 &&
                      arguments.front().Is("identifier") &&
                      tensors.contains(arguments.front().text());
  return is_one ? function : std::string_view();
}

}  // namespace

void LookAtReads(Look& look, std::size_t index, const StepLoop& step) {
  for (const std::string_view method : {"item", "cpu", "tolist", "numpy"})
    for (const Node& call : MethodCalls(step.body, method))
      if (PlainArguments(call).empty() && !IsSeenTo(call, step))
        LeaveRead(look, index, call, step, fmt::format("{}()", call.Field("function").text()));
  const NameSet tensors = SureTensors(step);
  for (const Node& call : step.body.All("call"))
    if (!NumberFunction(call, tensors).empty() && !IsSeenTo(call, step))
      LeaveRead(look, index, call, step, call.text());
  for (const std::string_view kind : {"if_statement", "while_statement", "assert_statement"})
    for (const Node& statement : step.body.All(kind)) {
      const Node condition = kind == "assert_statement" && !statement.children().empty()
                                 ? statement.children().front()
                                 : statement.Field("condition");
      if (condition && IsTruthOfTensor(condition, tensors) && !IsSeenTo(condition, step))
        LeaveRead(look, index, condition, step, condition.text());
    }
}

}  // namespace rankscope::fix
