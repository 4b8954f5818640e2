#include "fix/program/loops.h"

#include <algorithm>
#include <array>

#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

bool IsLoop(const Node& node) { return node.Is("for_statement") || node.Is("while_statement"); }

bool IsFunction(const Node& node) {
  return node.Is("function_definition") || node.Is("class_definition") || node.Is("lambda");
}

// What gives the same items in the same order, with the source as its first argument.
bool IsWrapper(const Node& call, const Names& names) {
  constexpr std::array<std::string_view, 6> kImported = {
      "tqdm.tqdm",      "tqdm.auto.tqdm",   "tqdm.notebook.tqdm",
      "tqdm.rich.tqdm", "itertools.islice", "rich.progress.track"};
  const Node function = call.Field("function");
  if (function.text() == "enumerate") return names.Of("enumerate", call).empty();
  return std::ranges::find(kImported, names.FullName(function)) != kImported.end();
}

}  // namespace

std::vector<StepLoop> StepLoops(const Syntax& syntax) {
  std::vector<StepLoop> loops;
  for (const Node& backward : MethodCalls(syntax.root(), "backward")) {
    Node around = backward.parent();
    while (around && !IsLoop(around) && !IsFunction(around)) around = around.parent();
    if (!IsLoop(around) || !around.Field("body").Is("block")) continue;
    const bool is_known =
        std::ranges::any_of(loops, [&](const StepLoop& each) { return each.loop == around; });
    if (!is_known)
      loops.push_back({.loop = around, .body = around.Field("body"), .backward = backward});
  }
  return loops;
}

Node OutermostLoop(const Node& loop) {
  Node outermost = loop;
  for (Node node = loop.parent(); node && !IsFunction(node); node = node.parent())
    if (IsLoop(node)) outermost = node;
  return outermost;
}

Node LoopSource(const Node& loop, const Names& names) {
  Node source = loop.Field("right");
  while (source.Is("call") && IsWrapper(source, names)) {
    const std::vector<Node> arguments = PlainArguments(source);
    if (arguments.empty()) break;
    source = arguments.front();
  }
  return source;
}

std::string LoopIndex(const Node& loop) {
  if (!loop.Is("for_statement") || !loop.Field("left").Is("pattern_list")) return {};
  const std::vector<Node> targets = loop.Field("left").children();
  // Of what gives pairs of something else, such as zip, the first is no count.
  Node source = loop.Field("right");
  for (const std::string_view wrapper : {"tqdm", "tqdm.tqdm", "islice", "itertools.islice"})
    if (source.Field("function").text() == wrapper && !PlainArguments(source).empty())
      source = PlainArguments(source).front();
  const bool counts = source.Field("function").text() == "enumerate";
  return counts && targets.size() == 2 && targets.front().Is("identifier")
             ? std::string(targets.front().text())
             : std::string();
}

bool Trains(const Node& node) { return !MethodCalls(node, "backward").empty(); }

bool IsInInnerFunction(const Node& node, const Node& outer) {
  for (Node around = node.parent(); around && around != outer; around = around.parent())
    if (IsFunction(around)) return true;
  return false;
}

std::vector<Node> UsesOf(std::string_view name, const Node& node) {
  std::vector<Node> uses;
  for (const Node& identifier : node.All("identifier")) {
    const bool is_name =
        identifier.field() != "attribute" &&
        !(identifier.parent().Is("keyword_argument") && identifier.field() == "name");
    if (is_name && identifier.text() == name) uses.push_back(identifier);
  }
  return uses;
}

bool IsTarget(const Node& identifier) {
  Node target = identifier;
  while (target.parent().kind().ends_with("pattern") || target.parent().Is("pattern_list"))
    target = target.parent();
  const Node statement = target.parent();
  return target.field() == "left" &&
         (statement.Is("assignment") || statement.Is("augmented_assignment"));
}

}  // namespace rankscope::fix
