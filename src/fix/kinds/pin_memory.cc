#include "fix/kinds/keyword_wishes.h"
#include "fix/kinds/kinds.h"
#include "fix/program/loaders.h"
#include "fix/python/calls.h"

namespace rankscope::fix {
namespace {

// ..., num_workers, collate_fn, pin_memory)
constexpr std::size_t kPlaceOfPinning = 7;

void LookAtPinning(Look& look, std::size_t index, const Loader& loader) {
  Site site = SiteOf(index, loader);
  const Node pins = Keyword(loader.call, "pin_memory");
  if (PlainArguments(loader.call).size() > kPlaceOfPinning || (pins && pins.text() != "False")) {
    look.Right(std::move(site));
    return;
  }
  const std::string why = WhyNotPinned(look.project(), look.project().file(index), loader);
  if (!why.empty()) {
    look.Leave(std::move(site), "pin_memory is not set: " + why);
    return;
  }
  ProposeWishes(look, std::move(site), loader.call, {{"pin_memory", "True", {"False"}, true}});
}

void LookForPinMemory(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const Loader& loader : LoadersOf(look.project().file(index)))
      LookAtPinning(look, index, loader);
}

}  // namespace

const Kind& PinMemory() {
  static const Kind kKind = {
      .name = "pin-memory",
      .findings = {"pageable-copy", "data-starvation", "exposed-copies"},
      .looks_for = "a DataLoader without `pin_memory=True`, of items in the host's memory",
      .writes = "`pin_memory=True`",
      .undo = "remove pin_memory=True",
      .stacks = Stacks::kNarrowIt,
      .look = LookForPinMemory};
  return kKind;
}

}  // namespace rankscope::fix
