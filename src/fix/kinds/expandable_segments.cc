#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <vector>

#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/program/main_program.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

constexpr std::string_view kVariable = "PYTORCH_CUDA_ALLOC_CONF";

void LookAtAllocatorSettings(Look& look, std::size_t index) {
  const SourceFile& file = look.project().file(index);
  if (!IsTrainingProgram(file)) return;
  const Node torch = FirstImportOf(file, "torch");
  Site site{.file = index,
            .at = torch,
            .group = {},
            .shown = {torch},
            .is_in_training = !StepLoops(file.syntax()).empty()};
  const auto bindings = file.names().Of("os", torch);
  const bool is_os = std::ranges::all_of(bindings, [](const Binding* binding) {
    return binding->imported == "os" && binding->scope.Is("module");
  });
  if (!is_os || !IsOnOwnLines(file.syntax(), torch, torch)) {
    look.Leave(std::move(site),
               fmt::format("set {}=expandable_segments:True before this import", kVariable));
    return;
  }
  const bool has_os = std::ranges::any_of(
      bindings, [&](const Binding* binding) { return binding->name.begin() < torch.begin(); });
  std::vector<std::string> lines;
  if (!has_os) lines.emplace_back("import os");
  lines.push_back(
      fmt::format("os.environ.setdefault(\"{}\", \"expandable_segments:True\")", kVariable));
  look.Propose({.site = std::move(site),
                .edits = {LinesBefore(file.syntax(), torch, lines)},
                .what = "the allocator's segments can grow, so that it need not free and allocate",
                .undo = fmt::format("remove os.environ.setdefault(\"{}\", ...)", kVariable)});
}

void LookForExpandableSegments(Look& look) {
  const Project& project = look.project();
  if (!look.device().is_nvidia || project.Mentions("ALLOC_CONF")) return;
  for (std::size_t index = 0; index < project.size(); ++index) LookAtAllocatorSettings(look, index);
}

}  // namespace

const Kind& ExpandableSegments() {
  static const Kind kKind = {
      .name = "expandable-segments",
      .findings = {"allocator-thrash", "memory-pressure"},
      .looks_for =
          "a training program that does not set up PyTorch's allocator; on NVIDIA's devices",
      .writes =
          "`os.environ.setdefault(\"PYTORCH_CUDA_ALLOC_CONF\", \"expandable_segments:True\")` "
          "before the first import of torch",
      .undo = "remove the line",
      .stacks = Stacks::kSilent,
      .look = LookForExpandableSegments};
  return kKind;
}

}  // namespace rankscope::fix
