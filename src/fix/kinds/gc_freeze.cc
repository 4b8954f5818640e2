#include <string>
#include <vector>

#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/program/main_program.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

void LookAtStep(Look& look, std::size_t index, const StepLoop& step) {
  const SourceFile& file = look.project().file(index);
  const Node loop = OutermostLoop(step.loop);
  Site site{.file = index, .at = loop, .group = loop, .shown = {loop}, .is_in_training = true};
  if (!CanImport(file, "gc", loop) || !IsOnOwnLines(file.syntax(), loop, loop)) {
    look.Leave(std::move(site),
               "call gc.collect() and gc.freeze() before this loop: where `import gc` goes is not "
               "certain");
    return;
  }
  std::vector<Edit> edits = ImportFor(file, "gc", loop);
  edits.push_back(LinesBefore(file.syntax(), loop, {"gc.collect()", "gc.freeze()"}));
  look.Propose({.site = std::move(site),
                .edits = std::move(edits),
                .what = "what lives when training begins is taken out of the collector's sight",
                .undo = "remove gc.collect() and gc.freeze()"});
}

void LookFor(Look& look) {
  // Who calls any of these has a plan for the collector.
  for (const std::string_view call : {"gc.freeze", "gc.disable", "gc.set_threshold"})
    if (look.project().Mentions(call)) return;
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const StepLoop& step : StepLoops(look.project().file(index).syntax()))
      LookAtStep(look, index, step);
}

}  // namespace

const Kind& GcFreeze() {
  static const Kind kKind = {
      .name = "gc-freeze",
      .findings = {"gc-pause"},
      .looks_for = "the training loop of a program that leaves Python's collector as it is",
      .writes = "`gc.collect()` and `gc.freeze()` before the outermost loop, and `import gc`",
      .undo = "remove these lines",
      .stacks = Stacks::kSilent,
      .look = LookFor};
  return kKind;
}

}  // namespace rankscope::fix
