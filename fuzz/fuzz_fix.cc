// Python that somebody writes, and patches of it: whatever the text, what patches leave is Python,
// the same request changes nothing on it, and the changes by lines make it of the text.
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fix/all_kinds.h"
#include "fix/base/source_file.h"
#include "fix/fix.h"
#include "fix/output/line_changes.h"
#include "fix/output/sarif.h"
#include "fix/output/unified_diff.h"
#include "input.h"

namespace rankscope::fuzz {
namespace {

// All findings that are answered. Two options: a line that stacks show, and what devices can do.
fix::Request RequestOf(const Input& input) {
  fix::Request request;
  std::set<std::string_view> ids;
  for (const fix::Kind* kind : fix::AllKinds())
    for (const std::string_view id : kind->findings) ids.insert(id);
  for (const std::string_view id : ids)
    request.findings.push_back({.id = std::string(id), .gain = "1.0%", .lines = {}});
  if (input.first != 0)
    for (fix::Finding& finding : request.findings)
      finding.lines.push_back({"/job/train.py", input.first});
  request.device.has_tf32 = input.second % 2 == 0;
  request.device.has_bf16 = input.second % 4 < 2;
  return request;
}

std::string Made(const fix::FilePatch& file) {
  const auto before = fix::LinesOf(file.before), after = fix::LinesOf(file.after);
  std::string made;
  std::size_t at = 0;
  for (const fix::LineChange& change : fix::LineChanges(before, after)) {
    for (; at < change.before; ++at) made += before[at];
    at += change.before_count;
    for (std::size_t line = 0; line < change.after_count; ++line)
      made += after[change.after + line];
  }
  for (; at < before.size(); ++at) made += before[at];
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const Input input = Split(bytes, size);
  fix::Request request = RequestOf(input);
  const fix::Patches patches = fix::MakePatches(request, {{"train.py", std::string(input.data)}});
  FUZZ_CHECK(!fix::WriteSarif(patches, "1").empty());
  for (const fix::FilePatch& file : patches.files) {
    FUZZ_CHECK(!file.hunks.empty() && file.before != file.after);
    FUZZ_CHECK(fix::SourceFile::Make(file.path, file.after).ok());
    FUZZ_CHECK(Made(file) == file.after);
    FUZZ_CHECK(!fix::WriteDiff(patches).empty());
    // Lines of a recording are those of the text as it was recorded: on another one they may mean
    // other places.
    if (input.first == 0)
      FUZZ_CHECK(fix::MakePatches(request, {{"train.py", file.after}}).files.empty());
  }
  return 0;
}

}  // namespace rankscope::fuzz
