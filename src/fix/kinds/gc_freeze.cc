#include <string>
#include <vector>

#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/program/main_program.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

// Whether something around a node, up to its function, may run it several times.
bool IsRepeated(const Node& node) {
  for (Node around = node.parent(); around && !around.Is("function_definition");
       around = around.parent())
    if (around.Is("for_statement") || around.Is("while_statement") || around.Is("lambda") ||
        around.Is("generator_expression") || around.kind().ends_with("comprehension"))
      return true;
  return false;
}

bool RunsOnce(const Project& project, const Node& node, int depth = 0);

// Whether a function is called at one place, by its name, that runs once.
bool IsCalledOnce(const Project& project, const Node& function, int depth) {
  constexpr int kDeepest = 8;
  const std::string_view name = function.Field("name").text();
  if (depth > kDeepest || project.OthersMention(name)) return false;
  Node only;
  for (std::size_t index = 0; index < project.size(); ++index) {
    for (const Node& use : project.file(index).syntax().All("identifier")) {
      if (use.text() != name || use == function.Field("name")) continue;
      if (use.Around("import_from_statement")) continue;
      const Node called = use.field() == "attribute" ? use.parent() : use;
      const bool is_call = called.parent().Is("call") && called.field() == "function";
      // Who hands it on, names another so or calls it again may run it several times.
      if (!is_call || only) return false;
      only = called.parent();
    }
  }
  return only && !IsRepeated(only) && RunsOnce(project, only, depth + 1);
}

bool RunsOnce(const Project& project, const Node& node, int depth) {
  const Node function = node.Around("function_definition");
  return !function || IsCalledOnce(project, function, depth);
}

void LookAtStepGcFreeze(Look& look, std::size_t index, const StepLoop& step) {
  const SourceFile& file = look.project().file(index);
  const Node loop = OutermostLoop(step.loop);
  Site site{.file = index, .at = loop, .group = loop, .shown = {loop}, .is_in_training = true};
  if (!CanImport(file, "gc", loop) || !IsOnOwnLines(file.syntax(), loop, loop)) {
    look.Leave(std::move(site),
               "call gc.collect() and gc.freeze() before this loop: where `import gc` goes is not "
               "certain");
    return;
  }
  if (!RunsOnce(look.project(), loop)) {
    look.Leave(
        std::move(site),
        "call gc.collect() and gc.freeze() once before training: it is not certain that this "
        "loop begins once in a run");
    return;
  }
  std::vector<Edit> edits = ImportFor(file, "gc", loop);
  edits.push_back(LinesBefore(file.syntax(), loop, {"gc.collect()", "gc.freeze()"}));
  look.Propose({.site = std::move(site),
                .edits = std::move(edits),
                .what = "what lives when training begins is taken out of the collector's sight",
                .undo = "remove gc.collect() and gc.freeze()"});
}

void LookForGcFreeze(Look& look) {
  // Who calls any of these has a plan for the collector.
  for (const std::string_view call : {"gc.freeze", "gc.disable", "gc.set_threshold"})
    if (look.project().Mentions(call)) return;
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const StepLoop& step : StepLoops(look.project().file(index).syntax()))
      LookAtStepGcFreeze(look, index, step);
}

}  // namespace

const Kind& GcFreeze() {
  static const Kind kKind = {
      .name = "gc-freeze",
      .findings = {"gc-pause"},
      .looks_for =
          "the training loop of a program that leaves Python's collector as it is; in the module "
          "or "
          "in a function that is called at one place, in no loop",
      .writes = "`gc.collect()` and `gc.freeze()` before the outermost loop, and `import gc`",
      .undo = "remove these lines",
      .stacks = Stacks::kSilent,
      .look = LookForGcFreeze};
  return kKind;
}

}  // namespace rankscope::fix
