#include "table/text_layout.h"

#include <algorithm>

#include "base/utf8.h"

namespace rankscope {
namespace {

constexpr std::size_t kReadableText = 16;
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

// Widths when no text cell may be wider than `text_cap`.
std::vector<std::size_t> Widths(const std::vector<LayoutColumn>& columns, std::size_t text_cap,
                                Headers headers) {
  std::vector<std::size_t> widths;
  for (const LayoutColumn& column : columns) {
    const std::size_t header =
        headers == Headers::kWhole ? CountCodePoints(column.header) : WidestWord(column.header);
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

// The biggest cap on text cells, no smaller than `floor`, with which the line fits; `floor` when
// none does.
std::size_t FittingCap(const std::vector<LayoutColumn>& columns, std::size_t limit,
                       std::size_t floor, Headers headers) {
  std::size_t cap = std::max(WidestText(columns), floor);
  while (cap > floor && LineWidth(Widths(columns, cap, headers)) > limit) --cap;
  return cap;
}

}  // namespace

std::vector<std::size_t> LayOutColumns(const std::vector<LayoutColumn>& columns,
                                       std::size_t limit) {
  if (limit == 0) return Widths(columns, WidestText(columns), Headers::kWhole);
  struct Try {
    std::size_t floor;
    Headers headers;
  };
  std::vector<std::size_t> widths;
  for (const Try attempt :
       {Try{kReadableText, Headers::kWhole}, Try{kReadableText, Headers::kBroken},
        Try{kSmallestText, Headers::kBroken}}) {
    const std::size_t cap = FittingCap(columns, limit, attempt.floor, attempt.headers);
    widths = Widths(columns, cap, attempt.headers);
    if (LineWidth(widths) <= limit) return widths;
  }
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
