#include <fmt/core.h>

#include <array>
#include <string>
#include <vector>

#include "base/text.h"
#include "fix/kinds/kinds.h"
#include "fix/program/forward.h"
#include "fix/program/loops.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

// Who says anything of these has decided on types already.
bool ChoosesTypes(const Project& project) {
  constexpr std::array<std::string_view, 10> kSigns = {
      "autocast",  "GradScaler", ".half()", "bfloat16",       "float16",
      "deepspeed", "accelerate", "apex",    "MixedPrecision", "float8"};
  for (const std::string_view sign : kSigns)
    if (project.Mentions(sign)) return true;
  return false;
}

// Autocast refuses this loss, whose gradient leaves the range of 16 bits.
bool HasLossOfProbabilities(const SourceFile& file) {
  return Contains(file.text(), "BCELoss") || Contains(file.text(), "binary_cross_entropy(");
}

void LookAtStep(Look& look, std::size_t index, const StepLoop& step) {
  const SourceFile& file = look.project().file(index);
  const Forward forward = ForwardOf(file, step);
  Site site{.file = index,
            .at = forward.first ? forward.first : forward.backward,
            .group = step.loop,
            .shown = {step.loop},
            .is_in_training = true};
  const std::string torch = file.names().ModuleName("torch", forward.backward);
  std::string why = forward.why_not;
  if (why.empty() && HasLossOfProbabilities(file))
    why = "autocast refuses binary_cross_entropy: use binary_cross_entropy_with_logits";
  if (why.empty() && torch.empty()) why = "the file does not import torch by its name";
  std::vector<Edit> edits;
  const std::string header =
      fmt::format("with {}.autocast(\"cuda\", dtype={}.bfloat16):", torch, torch);
  if (why.empty()) edits = Below(file.syntax(), header, forward.first, forward.last);
  if (why.empty() && edits.empty()) why = "a text over several lines stands in the forward pass";
  if (!why.empty()) {
    look.Leave(std::move(site), "run the forward pass and the loss under torch.autocast: " + why);
    return;
  }
  look.Propose(
      {.site = std::move(site),
       .edits = std::move(edits),
       .what = "the forward pass and the loss run in bfloat16 where that is safe (autocast)",
       .undo = "remove the line `with ...autocast...` and move what is below it back"});
}

void LookFor(Look& look) {
  if (!look.device().has_bf16 || !look.device().is_cuda || ChoosesTypes(look.project())) return;
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const StepLoop& step : StepLoops(look.project().file(index).syntax()))
      LookAtStep(look, index, step);
}

}  // namespace

const Kind& Autocast() {
  static const Kind kKind = {
      .name = "autocast",
      .findings = {"no-tensor-cores"},
      .looks_for =
          "a training loop whose forward pass and loss are plain statements, in a program "
          "that says nothing of 16-bit types; on devices that have bfloat16",
      .writes = "`with torch.autocast(\"cuda\", dtype=torch.bfloat16):` around them",
      .undo = "remove the `with` and move the statements back",
      .stacks = Stacks::kSilent,
      .look = LookFor};
  return kKind;
}

}  // namespace rankscope::fix
