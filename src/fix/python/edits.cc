#include "fix/python/edits.h"

#include <algorithm>

namespace rankscope::fix {
namespace {

std::ptrdiff_t LinesIn(std::string_view text) { return std::ranges::count(text, '\n'); }

}  // namespace

std::optional<std::vector<Edit>> InOrder(std::vector<Edit> edits, std::size_t size) {
  std::ranges::stable_sort(edits, {}, [](const Edit& edit) { return edit.begin; });
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < done || edit.end < edit.begin || edit.end > size) return std::nullopt;
    done = edit.end;
  }
  return edits;
}

std::string Edited(std::string_view text, const std::vector<Edit>& edits) {
  std::string edited;
  std::size_t done = 0;
  for (const Edit& edit : edits) {
    edited += text.substr(done, edit.begin - done);
    edited += edit.text;
    done = edit.end;
  }
  return edited += text.substr(done);
}

std::vector<std::int64_t> EditedLines(std::string_view text, const std::vector<Edit>& edits,
                                      const std::vector<std::int64_t>& lines) {
  std::vector<std::int64_t> edited = {lines.front()};
  std::size_t done = 0;
  std::size_t line = 0;  // of `done`, as an index
  const auto copy_to = [&](std::size_t end) {
    for (std::ptrdiff_t count = LinesIn(text.substr(done, end - done)); count > 0; --count)
      edited.push_back(lines[++line]);
    done = end;
  };
  for (const Edit& edit : edits) {
    copy_to(edit.begin);
    edited.insert(edited.end(), static_cast<std::size_t>(LinesIn(edit.text)), lines[line]);
    line += static_cast<std::size_t>(LinesIn(text.substr(edit.begin, edit.end - edit.begin)));
    done = edit.end;
    // The rest of a line that an edit ends in is that line.
    if (!edited.empty() && edit.end > edit.begin) edited.back() = lines[line];
    // What was put in before a whole line leaves that line what it was.
    if (edit.text.ends_with('\n')) edited.back() = lines[line];
  }
  copy_to(text.size());
  return edited;
}

}  // namespace rankscope::fix
