#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

void LookAtCallEmptyCache(Look& look, std::size_t index, const Node& call, const StepLoop& step) {
  const SourceFile& file = look.project().file(index);
  const Node statement = StatementOf(call);
  Site site{
      .file = index, .at = call, .group = step.loop, .shown = {statement}, .is_in_training = true};
  // Below an `if` it is up to the program how often.
  if (statement.parent() != step.body) {
    look.Right(std::move(site));
    return;
  }
  if (statement.text() != call.text() || step.body.children().size() < 2 ||
      !IsOnOwnLines(file.syntax(), statement, statement)) {
    look.Leave(std::move(site), "take this call out of the loop");
    return;
  }
  look.Propose({.site = std::move(site),
                .edits = {WithoutLines(file.syntax(), statement)},
                .what = "the allocator keeps its memory from step to step",
                .undo = "write torch.cuda.empty_cache() again"});
}

void LookForEmptyCache(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    const SourceFile& file = look.project().file(index);
    for (const StepLoop& step : StepLoops(file.syntax()))
      for (const Node& call : step.body.All("call"))
        if (file.names().FullName(call.Field("function")) == "torch.cuda.empty_cache" &&
            !IsInInnerFunction(call, step.loop))
          LookAtCallEmptyCache(look, index, call, step);
  }
}

}  // namespace

const Kind& EmptyCache() {
  static const Kind kKind = {.name = "empty-cache",
                             .findings = {"allocator-thrash"},
                             .looks_for = "`torch.cuda.empty_cache()` in every step",
                             .writes = "nothing: the line goes",
                             .undo = "write it again",
                             .stacks = Stacks::kNarrowIt,
                             .look = LookForEmptyCache};
  return kKind;
}

}  // namespace rankscope::fix
