#include "table/text_layout.h"

#include <algorithm>

#include "base/utf8.h"

namespace rankscope {
namespace {

constexpr std::size_t kReadableName = 28;  // of the first text column: it says what a row is
constexpr std::size_t kReadableText = 20;
constexpr std::size_t kSmallestText = 8;

std::vector<std::string_view> Words(std::string_view header) {
  std::vector<std::string_view> words;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const bool last = i + 1 == header.size();
    if (!last && header[i] != '_' && header[i] != ' ') continue;
    words.push_back(header.substr(begin, i + 1 - begin));
    begin = i + 1;
  }
  return words;
}

std::size_t WidthOf(std::string_view word) {
  if (!word.empty() && word.back() == ' ') word.remove_suffix(1);
  return CountCodePoints(word);
}

std::size_t WidestWord(std::string_view header) {
  std::size_t widest = 0;
  for (const std::string_view word : Words(header)) widest = std::max(widest, WidthOf(word));
  return widest;
}

std::size_t LineWidth(const std::vector<std::size_t>& widths) {
  std::size_t sum = widths.empty() ? 0 : kColumnGap * (widths.size() - 1);
  for (const std::size_t width : widths) sum += width;
  return sum;
}

enum class Headers { kWhole, kBroken };

// How far text cells may shrink.
struct Floors {
  std::size_t name = 0;  // of the first text column
  std::size_t text = 0;  // of the others
};

std::size_t FirstText(const std::vector<LayoutColumn>& columns) {
  const auto first = std::find_if(columns.begin(), columns.end(),
                                  [](const LayoutColumn& column) { return column.is_text; });
  return static_cast<std::size_t>(first - columns.begin());
}

// Widths of the first `count` columns when no text cell may be wider than `cap`, but for floors.
std::vector<std::size_t> Widths(const std::vector<LayoutColumn>& columns, std::size_t count,
                                std::size_t cap, Floors floors, Headers headers) {
  const std::size_t name = FirstText(columns);
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < count; ++i) {
    const LayoutColumn& column = columns[i];
    const std::size_t header =
        headers == Headers::kWhole ? CountCodePoints(column.header) : WidestWord(column.header);
    const std::size_t text_cap = std::max(cap, i == name ? floors.name : floors.text);
    const std::size_t cells =
        column.is_text ? std::min(column.cell_width, text_cap) : column.cell_width;
    widths.push_back(std::max(header, cells));
  }
  return widths;
}

std::size_t WidestText(const std::vector<LayoutColumn>& columns) {
  std::size_t widest = 0;
  for (const LayoutColumn& column : columns) {
    if (column.is_text) widest = std::max(widest, column.cell_width);
  }
  return widest;
}

// With the biggest cap on text cells with which the line fits; as narrow as `floors` allow when
// none does.
std::vector<std::size_t> Narrowed(const std::vector<LayoutColumn>& columns, std::size_t count,
                                  std::size_t limit, Floors floors, Headers headers) {
  std::size_t cap = std::max(WidestText(columns), floors.text);
  std::vector<std::size_t> widths = Widths(columns, count, cap, floors, headers);
  while (cap > floors.text && LineWidth(widths) > limit)
    widths = Widths(columns, count, --cap, floors, headers);
  return widths;
}

}  // namespace

std::vector<std::size_t> LayOutColumns(const std::vector<LayoutColumn>& columns,
                                       std::size_t limit) {
  constexpr Floors kReadable = {kReadableName, kReadableText};
  constexpr Floors kSmallest = {kSmallestText, kSmallestText};
  const std::size_t all = columns.size();
  if (limit == 0) return Widths(columns, all, WidestText(columns), kReadable, Headers::kWhole);
  std::vector<std::size_t> widths = Narrowed(columns, all, limit, kReadable, Headers::kWhole);
  // What a row is stays readable as long as there is anything else to leave out.
  const std::size_t name = FirstText(columns);
  const std::size_t least = name == all ? 1 : name + 1;
  for (std::size_t count = all; LineWidth(widths) > limit && count >= least; --count)
    widths = Narrowed(columns, count, limit, kReadable, Headers::kBroken);
  if (LineWidth(widths) > limit)
    widths = Narrowed(columns, std::min(least, all), limit, kSmallest, Headers::kBroken);
  while (widths.size() > 1 && LineWidth(widths) > limit) widths.pop_back();
  return widths;
}

std::vector<std::string> BreakHeader(std::string_view header, std::size_t width) {
  std::vector<std::string> lines;
  for (const std::string_view word : Words(header)) {
    if (lines.empty() || CountCodePoints(lines.back()) + WidthOf(word) > width) {
      lines.emplace_back(word);
    } else {
      lines.back() += word;
    }
  }
  for (std::string& line : lines) {
    if (line.back() == ' ') line.pop_back();
  }
  return lines;
}

}  // namespace rankscope
