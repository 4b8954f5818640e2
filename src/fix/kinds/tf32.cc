#include <fmt/core.h>

#include <string>

#include "fix/kinds/kinds.h"
#include "fix/program/loops.h"
#include "fix/program/main_program.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

constexpr std::string_view kSetter = "set_float32_matmul_precision";

Site SiteAt(std::size_t index, const Node& at) {
  return {.file = index, .at = at, .group = {}, .shown = {at}, .is_in_training = true};
}

// What the program says of TF32 itself is turned round where it forbids it.
void LookAtSettings(Look& look, std::size_t index) {
  const SourceFile& file = look.project().file(index);
  for (const Node& call : file.syntax().All("call")) {
    if (!file.names().FullName(call.Field("function")).ends_with(kSetter)) continue;
    const std::vector<Node> plain = PlainArguments(call);
    if (plain.size() == 1 && StringOf(plain[0]) == "highest")
      look.Propose({.site = SiteAt(index, call),
                    .edits = {{plain[0].begin(), plain[0].end(), "\"high\""}},
                    .what = "products of float32 matrices run in TF32",
                    .undo = "write \"highest\" again"});
    else
      look.Right(SiteAt(index, call));
  }
  for (const Node& assignment : file.syntax().All("assignment")) {
    const Node left = assignment.Field("left"), right = assignment.Field("right");
    if (!left.Is("attribute") || left.Field("attribute").text() != "allow_tf32") continue;
    if (right.Is("false"))
      look.Propose({.site = SiteAt(index, assignment),
                    .edits = {{right.begin(), right.end(), "True"}},
                    .what = fmt::format("{} is True", left.text()),
                    .undo = "write False again"});
    else
      look.Right(SiteAt(index, assignment));
  }
}

void LookAtProgramTf32(Look& look, std::size_t index) {
  const SourceFile& file = look.project().file(index);
  if (!IsTrainingProgram(file)) return;
  const Node last = LastImport(file);
  Site site = SiteAt(index, last ? last : FirstImportOf(file, "torch"));
  site.is_in_training = !StepLoops(file.syntax()).empty();
  const std::string torch = last ? file.names().ModuleName("torch", last) : "";
  if (torch.empty() || !IsOnOwnLines(file.syntax(), last, last)) {
    look.Leave(std::move(site),
               "call torch.set_float32_matmul_precision(\"high\") when the program begins: it does "
               "not begin with `import torch`, so where that goes is not certain");
    return;
  }
  look.Propose({.site = std::move(site),
                .edits = {LinesBehind(file.syntax(), last,
                                      {"", fmt::format("{}.{}(\"high\")", torch, kSetter)})},
                .what = "products of float32 matrices run in TF32, on tensor cores",
                .undo = fmt::format("remove {}.{}(\"high\")", torch, kSetter)});
}

void LookForTf32(Look& look) {
  if (!look.device().has_tf32) return;
  const Project& project = look.project();
  if (project.Mentions(kSetter) || project.Mentions("allow_tf32")) {
    for (std::size_t index = 0; index < project.size(); ++index) LookAtSettings(look, index);
    return;
  }
  if (project.Mentions("fp32_precision")) return;
  for (std::size_t index = 0; index < project.size(); ++index) LookAtProgramTf32(look, index);
}

}  // namespace

const Kind& Tf32() {
  static const Kind kKind = {
      .name = "tf32",
      .findings = {"no-tensor-cores"},
      .looks_for =
          "a training program that says nothing of the precision of float32 products, or "
          "forbids TF32; on devices that have it",
      .writes =
          "`torch.set_float32_matmul_precision(\"high\")` behind its imports, or the value "
          "turned round",
      .undo = "remove the line, or write the value that stood there",
      .stacks = Stacks::kSilent,
      .look = LookForTf32};
  return kKind;
}

}  // namespace rankscope::fix
