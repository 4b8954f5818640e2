#include "mcp/fix_results.h"

#include <fmt/core.h>

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

}  // namespace

FixResult FixResultOf(const fix::Patches& patches, const std::string& nothing) {
  FixResult result{
      .diff = fix::WriteDiff(patches), .changes = {}, .left = {}, .nothing = TextOf(nothing)};
  std::size_t changes = 0;
  for (const fix::FilePatch& file : patches.files)
    for (const fix::Hunk& hunk : file.hunks)
      if (changes++ < kMostChanges) result.changes.push_back(ChangeOf(file, hunk));
  for (const fix::Left& left : patches.left)
    if (result.left.size() < kMostChanges) result.left.push_back(fix::LeftWords(left));
  if (result.diff.size() > kMostDiffBytes || changes > kMostChanges ||
      patches.left.size() > kMostChanges)
    result.left_out = fmt::format(
        "the diff has {} bytes, {} changes, {} places are left: ask for one finding, or rankscope "
        "fix in a shell has all",
        result.diff.size(), changes, patches.left.size());
  if (result.diff.size() > kMostDiffBytes) result.diff.clear();
  return result;
}

}  // namespace rankscope::mcp
