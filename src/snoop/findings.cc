#include "snoop/findings.h"

#include <fmt/core.h>

#include <map>

namespace rankscope::snoop {

std::string_view ToString(CallKind kind) {
  switch (kind) {
    case kAllocate:
    case kAllocated:
    case kAllocateThrow:
      return "allocate";
    case kFree:
      return "free";
    case kLaunch:
      return "launch";
    case kWait:
      return "wait";
    case kCopy:
      return "copy";
  }
  return "";
}

std::string ToFolded(const Findings& findings, Folded what) {
  const auto line_of = [](const Frames& frames, const std::string& call) {
    std::string line;
    for (const StackFrame& frame : frames) {
      std::string text = ToText(frame);
      // What parts frames of each other is none of them.
      for (char& c : text) {
        if (c == ';' || c == '\n') c = ':';
      }
      line += text + ";";
    }
    if (frames.empty()) line = call + " (stack not known);";
    line.pop_back();
    return line;
  };
  // Of one level: the same memory, or launch, is seen at those below it, too.
  std::map<Level, std::map<std::string, std::uint64_t>> levels;
  if (what == Folded::kLive) {
    for (const LeakRow& row : findings.leaks) {
      if (row.domain.where != Where::kHost)
        levels[row.domain.level][line_of(row.frames, row.call)] += row.bytes;
    }
  } else {
    for (const UseRow& row : findings.uses) {
      if (row.kind == kLaunch) levels[row.level][line_of(row.frames, row.call)] += row.count;
    }
  }
  std::string text;
  if (levels.empty()) return text;
  for (const auto& [line, value] : levels.begin()->second)
    text += fmt::format("{} {}\n", line, value);
  return text;
}

}  // namespace rankscope::snoop
