#include <string>

#include "fix/kinds/kinds.h"
#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

// `torch.autograd.set_detect_anomaly(True)`; as a `with` it is meant for a part of the program.
void LookAtCallAnomalyMode(Look& look, std::size_t index, const Node& call) {
  Site site{.file = index, .at = call, .group = {}, .shown = {call}, .is_in_training = false};
  if (call.Around("with_clause")) {
    look.Leave(std::move(site),
               "anomaly mode is on for a block: take the `with` away when the NaN is found");
    return;
  }
  const std::vector<Node> plain = PlainArguments(call);
  const Node mode = plain.empty() ? Keyword(call, "mode") : plain.front();
  if (!mode.Is("true")) {
    look.Right(std::move(site));
    return;
  }
  look.Propose({.site = std::move(site),
                .edits = {{mode.begin(), mode.end(), "False"}},
                .what = "autograd's anomaly mode is off",
                .undo = "write True again"});
}

void LookForAnomalyMode(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index) {
    const SourceFile& file = look.project().file(index);
    for (const Node& call : file.syntax().All("call"))
      if (file.names()
              .FullName(call.Field("function"))
              .ends_with("torch.autograd.set_detect_anomaly") ||
          file.names().FullName(call.Field("function")) ==
              "torch.autograd.anomaly_mode.set_detect_anomaly")
        LookAtCallAnomalyMode(look, index, call);
  }
}

}  // namespace

const Kind& AnomalyMode() {
  static const Kind kKind = {.name = "anomaly-mode",
                             .findings = {"nan-checks"},
                             .looks_for = "`torch.autograd.set_detect_anomaly(True)`",
                             .writes = "`False`",
                             .undo = "write True again",
                             .stacks = Stacks::kSilent,
                             .look = LookForAnomalyMode};
  return kKind;
}

}  // namespace rankscope::fix
