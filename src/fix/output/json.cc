#include "fix/output/json.h"

#include "api/patch.h"
#include "fix/output/unified_diff.h"
#include "json/fields.h"

namespace rankscope::fix {
namespace {

std::optional<std::int64_t> LineIn(std::int64_t line) {
  return line > 0 ? std::optional(line) : std::nullopt;
}

}  // namespace

std::string WriteJson(const Patches& patches, const std::string& nothing) {
  api::Patch patch{.diff = WriteDiff(patches), .changes = {}, .left = {}, .nothing = nothing};
  for (const FilePatch& file : patches.files) {
    for (const Hunk& hunk : file.hunks) {
      patch.changes.push_back({.file = file.path,
                               .line = LineIn(hunk.line),
                               .finding = hunk.finding,
                               .gain = hunk.gain,
                               .kind = hunk.kind,
                               .what = hunk.what,
                               .undo = hunk.undo});
    }
  }
  for (const Left& left : patches.left) {
    patch.left.push_back(
        {.file = left.file, .line = LineIn(left.line), .finding = left.finding, .why = left.why});
  }
  return json::ToJson(patch) + "\n";
}

}  // namespace rankscope::fix
