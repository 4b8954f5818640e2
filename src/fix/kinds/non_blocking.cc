#include <set>
#include <string>

#include "fix/kinds/keyword_wishes.h"
#include "fix/kinds/kinds.h"
#include "fix/program/devices.h"
#include "fix/program/loaders.h"
#include "fix/program/loops.h"
#include "fix/python/calls.h"
#include "fix/python/layout.h"

namespace rankscope::fix {
namespace {

using TextSet = std::set<std::string, std::less<>>;

// The name at the root of `batch["x"]`, `batch.image` or `batch`.
std::string_view RootOf(Node value) {
  while (value.Is("subscript") || (value.Is("attribute") && value.parent().kind() != "call"))
    value = value.Is("subscript") ? value.Field("value") : value.Field("object");
  return value.Is("identifier") ? value.text() : std::string_view();
}

void AddNames(const Node& targets, TextSet& names) {
  for (const Node& name : targets.All("identifier")) names.emplace(name.text());
}

// What a value is a part of: `batch.items()` and `batch.values()` are parts of batch, too.
std::string_view SourceOf(const Node& value) {
  for (const std::string_view method : {"items", "values"})
    if (const Node object = ObjectOf(value, method)) return RootOf(object);
  return RootOf(value);
}

// The names that hold a batch or parts of it inside of the loop.
TextSet BatchNames(const Node& loop) {
  TextSet names;
  AddNames(loop.Field("left"), names);
  names.erase(LoopIndex(loop));
  for (const Node& assignment : loop.Field("body").All("assignment"))
    if (names.contains(SourceOf(assignment.Field("right"))))
      AddNames(assignment.Field("left"), names);
  for (const Node& clause : loop.Field("body").All("for_in_clause"))
    if (names.contains(SourceOf(clause.Field("right")))) AddNames(clause.Field("left"), names);
  return names;
}

void LookInLoop(Look& look, std::size_t index, const Loader& loader, const Node& loop) {
  const TextSet names = BatchNames(loop);
  for (const Node& call : loop.Field("body").All("call")) {
    const Node copied = PlacedBy(call);
    if (!copied || !names.contains(RootOf(copied)) || IsInInnerFunction(call, loop)) continue;
    const Node statement = StatementOf(call);
    Site site{.file = index,
              .at = call,
              .group = loop,
              .shown = {statement, loop.Field("right")},
              .is_in_training = Trains(loop)};
    if (Keyword(loader.call, "pin_memory").text() != "True") {
      look.Leave(std::move(site), "a copy waits all the same where the memory is not pinned");
      continue;
    }
    ProposeWishes(look, std::move(site), call, {{"non_blocking", "True", {"False"}, true}});
  }
}

void LookFor(Look& look) {
  for (std::size_t index = 0; index < look.project().size(); ++index)
    for (const Loader& loader : LoadersOf(look.project().file(index)))
      for (const Node& loop : loader.loops) LookInLoop(look, index, loader, loop);
}

}  // namespace

const Kind& NonBlocking() {
  static const Kind kKind = {
      .name = "non-blocking",
      .findings = {"pageable-copy", "exposed-copies"},
      .looks_for =
          "`.to(device)` or `.cuda()` of a batch, in the loop over its DataLoader, which "
          "pins memory (or does so by another patch)",
      .writes = "`non_blocking=True`",
      .undo = "remove non_blocking=True",
      .stacks = Stacks::kNarrowIt,
      .look = LookFor};
  return kKind;
}

}  // namespace rankscope::fix
