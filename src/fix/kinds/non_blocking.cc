#include <algorithm>
#include <set>
#include <string>
#include <vector>

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

bool HasCollation(const Node& call) {
  constexpr std::size_t kPlace = 6;
  const Node value = Keyword(call, "collate_fn");
  return (value && !value.Is("none")) || PlainArguments(call).size() > kPlace;
}

// The names that a part of a batch had on its way here, the last first: v, batch.
std::vector<std::string> HostNames(const Node& copied, const Node& loop) {
  std::vector<std::string> names = {std::string(RootOf(copied))};
  for (std::size_t at = 0; at < names.size(); ++at) {
    const std::string name = names[at];
    for (const std::string_view kind : {"assignment", "for_in_clause"}) {
      for (const Node& given : loop.Field("body").All(kind)) {
        if (given.begin() > copied.end() && kind == "assignment") continue;
        if (UsesOf(name, given.Field("left")).empty()) continue;
        const std::string source(SourceOf(given.Field("right")));
        if (!source.empty() && std::ranges::find(names, source) == names.end())
          names.push_back(source);
      }
    }
  }
  return names;
}

// Whether `use` is of another part than `copied`: batch["b"] beside batch["a"].
bool IsOtherPart(const Node& use, const Node& copied) {
  const Node part = use.parent();
  return part.Is("subscript") && copied.Is("subscript") && part.Field("value") == use &&
         part.Field("subscript").Is("string") && copied.Field("subscript").Is("string") &&
         part.text() != copied.text();
}

// Whether the host's memory is used again before the next batch, while the copy may still run.
bool IsUsedAgain(const Node& call, const Node& copied, const Node& loop) {
  const Node statement = StatementOf(call);
  const Node inside = statement.children().empty() ? Node() : statement.children().front();
  const Node targets = inside.Is("assignment") ? inside.Field("left") : Node();
  for (const std::string& name : HostNames(copied, loop)) {
    const bool is_rebound = targets && !UsesOf(name, targets).empty();
    // An inner loop comes back to what stands before.
    std::size_t from = call.end();
    for (Node around = call.parent(); around && around != loop; around = around.parent())
      if (around.Is("for_statement") || around.Is("while_statement")) from = around.begin();
    for (const Node& use : UsesOf(name, loop)) {
      if (use.begin() < from || call.Holds(use) || IsTarget(use)) continue;
      const Node clause = use.Around("for_in_clause");
      if ((clause && clause.parent().Holds(call)) || IsOtherPart(use, copied)) continue;
      if (is_rebound && (use.begin() > statement.end() || PlacedBy(use.parent().parent()) == use))
        continue;
      return true;
    }
  }
  return false;
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
    if (HasCollation(loader.call)) {
      look.Leave(std::move(site),
                 "non_blocking is not set: the loader has a collate_fn of its own, so it is not "
                 "certain that its batches are pinned");
      continue;
    }
    if (IsUsedAgain(call, copied, loop)) {
      look.Leave(std::move(site),
                 "non_blocking is not set: the batch on the host is used again in the loop, maybe "
                 "while it is copied");
      continue;
    }
    ProposeWishes(look, std::move(site), call, {{"non_blocking", "True", {"False"}, true}});
  }
}

void LookForNonBlocking(Look& look) {
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
          "pins memory (or does so by another patch), and does not use it on the host again",
      .writes = "`non_blocking=True`",
      .undo = "remove non_blocking=True",
      .stacks = Stacks::kNarrowIt,
      .look = LookForNonBlocking};
  return kKind;
}

}  // namespace rankscope::fix
