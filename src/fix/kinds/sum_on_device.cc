#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

Site SiteOf(std::size_t index, const Node& at, const StepLoop& step) {
  return {.file = index,
          .at = at,
          .group = step.loop,
          .shown = {StatementOf(at)},
          .is_in_training = true};
}

// `x.item()` of `total += x.item()` or `total += x.item() * n`; none for anything else.
Node ReadOf(const Node& sum) {
  if (sum.Field("operator").text() != "+=" || !sum.Field("left").Is("identifier")) return {};
  Node value = sum.Field("right");
  if (value.Is("binary_operator") && value.Field("operator").text() == "*")
    value = ObjectOf(value.Field("left"), "item") ? value.Field("left") : value.Field("right");
  const bool is_read = ObjectOf(value, "item") && ArgumentsOf(value).children().empty();
  return is_read && MethodCalls(sum, "item").size() == 1 ? value : Node();
}

// What an assignment gives a name: of `a, b = 0.0, 0` that at its place.
Node GivenTo(const Node& name, const Node& assignment) {
  const Node left = assignment.Field("left"), right = assignment.Field("right");
  if (left == name) return right;
  const std::vector<Node> names = left.children(), values = right.children();
  if (!left.Is("pattern_list") || !right.Is("expression_list") || names.size() != values.size())
    return {};
  for (std::size_t at = 0; at < names.size(); ++at)
    if (names[at] == name) return values[at];
  return {};
}

// Whether a name begins as a number wherever it is given a value.
bool BeginsAsNumber(std::string_view name, const Node& place, const Names& names) {
  bool begins = false;
  for (const Binding* binding : names.Of(name, place)) {
    const Node& statement = binding->statement;
    if (statement.Is("augmented_assignment")) continue;
    const Node value = statement.Is("assignment") ? GivenTo(binding->name, statement) : Node();
    if (!value) return false;
    if (value.Is("integer") || value.Is("float")) begins = true;
    // What an earlier run of this program has put behind the loop.
    else if (!Contains(value.text(), "is_tensor"))
      return false;
  }
  return begins;
}

bool IsReadIn(std::string_view name, const Node& loop) {
  return std::ranges::any_of(UsesOf(name, loop), [](const Node& use) {
    return !(use.parent().Is("augmented_assignment") && use.field() == "left");
  });
}

// Why it cannot be changed; "" where it can.
std::string WhyNot(const SourceFile& file, const Node& sum, const StepLoop& step) {
  const std::string_view name = sum.Field("left").text();
  if (!BeginsAsNumber(name, sum, file.names()))
    return fmt::format("what {} holds before is not certain", name);
  if (IsReadIn(name, step.loop)) return fmt::format("{} is read in the loop", name);
  if (file.names().ModuleName("torch", step.loop).empty())
    return "the file does not import torch by its name";
  if (!IsOnOwnLines(file.syntax(), step.loop, step.loop)) return "the loop shares a line";
  return {};
}

void LookAtSum(Look& look, std::size_t index, const Node& sum, const StepLoop& step) {
  const SourceFile& file = look.project().file(index);
  const std::string name(sum.Field("left").text());
  if (Contains(sum.Field("right").text(), ".detach()")) {
    look.Right(SiteOf(index, sum, step));
    return;
  }
  const Node read = ReadOf(sum);
  if (!read || IsInInnerFunction(sum, step.loop)) return;
  if (const std::string why = WhyNot(file, sum, step); !why.empty()) {
    look.Leave(SiteOf(index, sum, step),
               "add up on the device, and read the sum behind the loop: " + why);
    return;
  }
  const std::string torch = file.names().ModuleName("torch", step.loop);
  const Node method = read.Field("function").Field("attribute");
  look.Propose(
      {.site = SiteOf(index, sum, step),
       .edits = {{method.begin(), method.end(), "detach"},
                 LinesBehind(file.syntax(), step.loop,
                             {fmt::format("{} = {}.item() if {}.is_tensor({}) else {}", name, name,
                                          torch, name, name)})},
       .what = fmt::format("{} is added up on the device, in the type of what is added, and read "
                           "once behind the loop",
                           name),
       .undo = fmt::format(
           "write .item() in place of .detach(), and remove {} = {}.item() ... behind the loop",
           name, name)});
}

// Whether it is up to the program how often a call is made, or another patch looks at it.
bool IsSeenTo(const Node& call, const StepLoop& step) {
  if (IsInInnerFunction(call, step.loop)) return true;
  for (Node around = call.parent(); around && around != step.body; around = around.parent()) {
    const bool is_print = around.Is("call") && around.Field("function").text() == "print";
    if (is_print || around.Is("if_statement")) return true;
    if (around.Is("augmented_assignment") && ReadOf(around)) return true;
  }
  return false;
}

// Reads of the device in every step that no patch takes away.
void LookAtReads(Look& look, std::size_t index, const StepLoop& step) {
  for (const std::string_view method : {"item", "cpu", "tolist", "numpy"})
    for (const Node& call : MethodCalls(step.body, method))
      if (PlainArguments(call).empty() && !IsSeenTo(call, step))
        look.Leave(SiteOf(index, call, step),
                   fmt::format("{}() waits for the device in every step: keep the value there, and "
                               "read it behind the loop or every 50th step",
                               call.Field("function").text()));
}

void LookFor(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    for (const StepLoop& step : StepLoops(look.project().file(index).syntax())) {
      for (const Node& sum : step.body.All("augmented_assignment"))
        LookAtSum(look, index, sum, step);
      LookAtReads(look, index, step);
    }
  }
}

}  // namespace

const Kind& SumOnDevice() {
  static const Kind kKind = {
      .name = "sum-on-device",
      .findings = {"host-sync"},
      .looks_for =
          "`total += loss.item()` in a training loop that does not read `total`, which "
          "begins as a number",
      .writes = "`total += loss.detach()`, and behind the loop `total = total.item()`",
      .undo = "write .item() again, and remove the line behind the loop",
      .stacks = Stacks::kNameIt,
      .look = LookFor};
  return kKind;
}

}  // namespace rankscope::fix
