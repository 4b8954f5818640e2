// Runs one kind of patch by itself, for its test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fix/fix.h"
#include "fix/output/unified_diff.h"

namespace rankscope::fix {

// A request for one program, train.py.
struct Asked {
  std::string kind;
  std::string finding;
  std::vector<std::int64_t> lines;  // shown by stacks
  DeviceAbility device = {};
};

inline Request RequestOf(const Asked& asked) {
  Request request{.findings = {{.id = asked.finding, .gain = "10.0%", .lines = {}}},
                  .device = asked.device,
                  .kind = asked.kind};
  for (const std::int64_t line : asked.lines)
    request.findings.front().lines.push_back({"/job/src/train.py", line});
  return request;
}

// All patches of one file for a finding; checks that the same request changes nothing more.
inline Patches PatchesFor(const Asked& asked, std::string_view program) {
  const Request request = RequestOf(asked);
  Patches patches = MakePatches(request, {{"train.py", std::string(program)}});
  if (!patches.files.empty()) {
    const Patches again = MakePatches(request, {{"train.py", patches.files.front().after}});
    EXPECT_TRUE(again.files.empty()) << "a second run changes\n" << WriteDiff(again);
  }
  return patches;
}

// The changed lines, in the format of a diff without context: "-was\n+is\n".
inline std::string Changes(const Asked& asked, std::string_view program) {
  const Patches patches = PatchesFor(asked, program);
  if (patches.files.empty()) return {};
  for (const Hunk& hunk : patches.files.front().hunks) {
    EXPECT_FALSE(hunk.what.empty() || hunk.undo.empty() || hunk.gain.empty());
    EXPECT_EQ(hunk.kind, asked.kind);
  }
  const FilePatch& file = patches.files.front();
  std::string diff = UnifiedDiff("train.py", file.before, file.after, 0);
  std::string changes;
  for (std::size_t at = 0; at < diff.size();) {
    const std::size_t end = diff.find('\n', at) + 1;
    const std::string_view line = std::string_view(diff).substr(at, end - at);
    const bool is_head =
        line.starts_with("---") || line.starts_with("+++") || line.starts_with("@@");
    if (!is_head) changes += line;
    at = end;
  }
  return changes;
}

// The sentences about what is left to the user: "3: why".
inline std::vector<std::string> LeftFor(const Asked& asked, std::string_view program) {
  std::vector<std::string> sentences;
  for (const Left& left : PatchesFor(asked, program).left)
    sentences.push_back(std::to_string(left.line) + ": " + left.why);
  return sentences;
}

}  // namespace rankscope::fix
