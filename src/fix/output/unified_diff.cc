#include "fix/output/unified_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "fix/output/line_changes.h"

namespace rankscope::fix {
namespace {

using Lines = std::vector<std::string_view>;

void AddLine(char mark, std::string_view line, std::string& out) {
  out += mark;
  out += line;
  if (!line.ends_with('\n')) out += "\n\\ No newline at end of file\n";
}

// "12,3": where lines begin and how many they are; of none the line before.
std::string RangeWords(std::size_t begin, std::size_t count) {
  return count == 1 ? fmt::format("{}", begin + 1)
                    : fmt::format("{},{}", count == 0 ? begin : begin + 1, count);
}

// Changes that share context are one hunk.
void AddHunk(const Lines& before, const Lines& after, const LineChange* first,
             const LineChange* last, std::size_t context, std::string& out) {
  const std::size_t begin = first->before - std::min(first->before, context);
  const std::size_t end = std::min(last->before + last->before_count + context, before.size());
  const std::size_t after_begin = first->after - (first->before - begin);
  const std::size_t after_end =
      last->after + last->after_count + (end - last->before - last->before_count);
  fmt::format_to(std::back_inserter(out), "@@ -{} +{} @@\n", RangeWords(begin, end - begin),
                 RangeWords(after_begin, after_end - after_begin));
  std::size_t at = begin;
  for (const LineChange* change = first; change <= last; ++change) {
    for (; at < change->before; ++at) AddLine(' ', before[at], out);
    for (; at < change->before + change->before_count; ++at) AddLine('-', before[at], out);
    for (std::size_t line = 0; line < change->after_count; ++line)
      AddLine('+', after[change->after + line], out);
  }
  for (; at < end; ++at) AddLine(' ', before[at], out);
}

// A name with a blank ends at a tab.
std::string_view EndOfName(std::string_view path) {
  return path.find(' ') == std::string_view::npos ? "" : "\t";
}

// "host-sync (5.0%)"
std::string FindingWords(const Hunk& hunk) {
  return hunk.gain.empty() ? hunk.finding : fmt::format("{} ({})", hunk.finding, hunk.gain);
}

}  // namespace

std::string UnifiedDiff(std::string_view path, std::string_view before, std::string_view after,
                        std::size_t context) {
  const Lines old_lines = LinesOf(before), new_lines = LinesOf(after);
  const std::vector<LineChange> changes = LineChanges(old_lines, new_lines);
  if (changes.empty()) return {};
  std::string out =
      fmt::format("--- a/{}{}\n+++ b/{}{}\n", path, EndOfName(path), path, EndOfName(path));
  for (std::size_t first = 0; first < changes.size();) {
    std::size_t last = first;
    while (last + 1 < changes.size() &&
           changes[last + 1].before - changes[last].before - changes[last].before_count <=
               2 * context)
      ++last;
    AddHunk(old_lines, new_lines, &changes[first], &changes[last], context, out);
    first = last + 1;
  }
  return out;
}

std::string WriteDiff(const Patches& patches) {
  std::string out;
  for (const FilePatch& file : patches.files) {
    for (std::size_t i = 0; i < file.hunks.size(); ++i) {
      const Hunk& hunk = file.hunks[i];
      const auto is_same = [&](const Hunk& other) {
        return other.line == hunk.line && other.what == hunk.what;
      };
      // A change that several findings ask for is told once.
      if (std::any_of(file.hunks.begin(), file.hunks.begin() + static_cast<std::ptrdiff_t>(i),
                      is_same))
        continue;
      std::string why;
      for (std::size_t j = i; j < file.hunks.size(); ++j)
        if (is_same(file.hunks[j])) why += (why.empty() ? "" : ", ") + FindingWords(file.hunks[j]);
      fmt::format_to(std::back_inserter(out), "# {}:{}: {}: {}\n#     to undo: {}\n", file.path,
                     hunk.line, why, hunk.what, hunk.undo);
    }
    out += UnifiedDiff(file.path, file.before, file.after);
  }
  return out;
}

std::string LeftWords(const Left& left) {
  std::string words = left.file;
  if (left.line > 0) words += fmt::format(":{}", left.line);
  if (!left.finding.empty()) words += (words.empty() ? "" : ": ") + left.finding;
  return words + (words.empty() ? "" : ": ") + left.why;
}

}  // namespace rankscope::fix
