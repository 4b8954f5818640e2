#include <algorithm>
#include <array>
#include <string>

#include "fix/kinds/keyword_wishes.h"
#include "fix/kinds/kinds.h"

namespace rankscope::fix {
namespace {

bool IsTrainer(const std::string& name) {
  constexpr std::array<std::string_view, 5> kNames = {
      "lightning.Trainer", "lightning.pytorch.Trainer", "pytorch_lightning.Trainer",
      "lightning.pytorch.trainer.Trainer", "pytorch_lightning.trainer.Trainer"};
  return std::ranges::find(kNames, name) != kNames.end();
}

std::vector<Wish> WishesFor(const Look& look) {
  if (look.finding() == "nan-checks") return {{"detect_anomaly", "", {"True"}}};
  if (!look.device().has_bf16) return {};
  return {{"precision",
           "\"bf16-mixed\"",
           {"32", "\"32\"", "'32'", "\"32-true\"", "'32-true'", "None"},
           true}};
}

void LookForLightningTrainer(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    const SourceFile& file = look.project().file(index);
    for (const Node& call : file.syntax().All("call")) {
      if (!IsTrainer(file.names().FullName(call.Field("function")))) continue;
      Site site{.file = index, .at = call, .group = {}, .shown = {call}, .is_in_training = true};
      if (IsOnHost(call)) {
        look.Leave(std::move(site), "it is told to compute on the CPU: nothing is changed");
        continue;
      }
      ProposeWishes(look, std::move(site), call, WishesFor(look));
    }
  }
}

}  // namespace

const Kind& LightningTrainer() {
  static const Kind kKind = {
      .name = "lightning-trainer",
      .findings = {"no-tensor-cores", "nan-checks"},
      .looks_for =
          "Lightning's `Trainer(...)` in 32 bits on devices that have bfloat16, or with "
          "`detect_anomaly=True`",
      .writes = "`precision=\"bf16-mixed\"`; `detect_anomaly` goes",
      .undo = "remove precision, or write what stood there",
      .stacks = Stacks::kSilent,
      .look = LookForLightningTrainer};
  return kKind;
}

}  // namespace rankscope::fix
