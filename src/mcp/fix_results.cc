#include "mcp/fix_results.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "fix/output/unified_diff.h"

namespace rankscope::mcp {
namespace {

std::optional<std::string> TextOf(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

CodeChange ChangeOf(const fix::FilePatch& file, const fix::Hunk& hunk) {
  return {.file = file.path,
          .line = hunk.line,
          .finding = hunk.finding,
          .gain = TextOf(hunk.gain),
          .what = hunk.what,
          .undo = hunk.undo};
}

// All of it, within the bounds of an answer.
FixResult Bounded(FixResult all) {
  const std::size_t bytes = all.diff.size(), changes = all.changes.size(), left = all.left.size();
  if (bytes <= kMostDiffBytes && changes <= kMostChanges && left <= kMostChanges) return all;
  all.left_out = fmt::format(
      "the diff has {} bytes, {} changes, {} places are left: ask for one finding, or rankscope "
      "fix in a shell has all",
      bytes, changes, left);
  if (bytes > kMostDiffBytes) all.diff.clear();
  all.changes.resize(std::min(changes, kMostChanges));
  all.left.resize(std::min(left, kMostChanges));
  return all;
}

}  // namespace

FixResult FixResultOf(const fix::Patches& patches, const std::string& nothing) {
  FixResult result{
      .diff = fix::WriteDiff(patches), .changes = {}, .left = {}, .nothing = TextOf(nothing)};
  for (const fix::FilePatch& file : patches.files)
    for (const fix::Hunk& hunk : file.hunks) result.changes.push_back(ChangeOf(file, hunk));
  for (const fix::Left& left : patches.left) result.left.push_back(fix::LeftWords(left));
  return Bounded(std::move(result));
}

FixResult FixResultOf(const json::Value& patch) {
  FixResult result{.diff = patch["diff"].TextOr(""),
                   .changes = {},
                   .left = {},
                   .nothing = TextOf(patch["nothing"].TextOr(""))};
  for (const json::Value& change : patch["changes"].Items())
    result.changes.push_back({.file = change["file"].TextOr(""),
                              .line = change["line"].IntegerOr(0),
                              .finding = change["finding"].TextOr(""),
                              .gain = TextOf(change["gain"].TextOr("")),
                              .what = change["what"].TextOr(""),
                              .undo = change["undo"].TextOr("")});
  for (const json::Value& left : patch["left"].Items())
    result.left.push_back(fix::LeftWords({.file = left["file"].TextOr(""),
                                          .line = left["line"].IntegerOr(0),
                                          .finding = left["finding"].TextOr(""),
                                          .why = left["why"].TextOr("")}));
  return Bounded(std::move(result));
}

}  // namespace rankscope::mcp
