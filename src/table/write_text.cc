#include "table/write_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "table/human_number.h"
#include "table/style.h"
#include "table/terminal_text.h"
#include "table/text_layout.h"

namespace rankscope {
namespace {

constexpr std::string_view kNullCell = "-";

// Integers without a unit are counts or names of things. Digits of names are not grouped: nobody
// looks for pid 12,345. A column names a thing by its last word ("launch_event"), unless it is a
// rate ("kernels_per_step").
bool IsIdentifier(const ColumnSpec& spec) {
  constexpr std::array<std::string_view, 20> kThings{
      "rank", "step",   "capture", "event",  "device", "stream",     "pid",
      "tid",  "thread", "id",      "index",  "line",   "number",     "context",
      "port", "seq",    "address", "parent", "source", "correlation"};
  if (!spec.unit.empty() || spec.name.find("_per_") != std::string::npos) return false;
  const std::string_view name = spec.name;
  const std::string_view last_word = name.substr(name.rfind('_') + 1);
  return std::find(kThings.begin(), kThings.end(), last_word) != kThings.end();
}

// How the numbers of a column are printed.
enum class Look {
  kRaw,
  kPlainInteger,
  kCount,
  kDecimal,
  kDuration,
  kMilliseconds,
  kBytes,
  kBytesRate,
  kPercent
};

Look LookOf(const ColumnSpec& spec, NumberStyle style) {
  if (style == NumberStyle::kRaw) return Look::kRaw;
  if (spec.unit == "ns") return Look::kDuration;
  if (spec.unit == "ms") return Look::kMilliseconds;
  if (spec.unit == "bytes") return Look::kBytes;
  if (spec.unit == "bytes/s") return Look::kBytesRate;
  if (spec.unit == "%") return Look::kPercent;
  if (spec.type == ColumnType::kDouble) return Look::kDecimal;
  return IsIdentifier(spec) ? Look::kPlainInteger : Look::kCount;
}

bool CellsShowUnit(Look look) {
  return look == Look::kDuration || look == Look::kMilliseconds || look == Look::kBytes ||
         look == Look::kBytesRate || look == Look::kPercent;
}

std::string FormatNumber(Look look, double value) {
  switch (look) {
    case Look::kDuration:
      return HumanDuration(value);
    case Look::kMilliseconds:
      return HumanMilliseconds(value);
    case Look::kBytes:
      return HumanBytes(value);
    case Look::kBytesRate:
      return HumanBytes(value) + "/s";
    case Look::kPercent:
      return HumanPercent(value);
    case Look::kRaw:
      return fmt::format("{}", value);
    case Look::kPlainInteger:
    case Look::kCount:
    case Look::kDecimal:
      break;
  }
  return HumanDecimal(value);
}

std::string FormatInteger(Look look, std::int64_t value) {
  if (look == Look::kRaw || look == Look::kPlainInteger) return fmt::format_int(value).str();
  if (look == Look::kCount) return GroupedInteger(value);
  return FormatNumber(look, static_cast<double>(value));
}

struct TextColumn {
  std::string header;
  ColumnType type = ColumnType::kInt64;
  std::vector<std::string> cells;

  bool on_the_right() const { return type == ColumnType::kInt64 || type == ColumnType::kDouble; }
};

std::string FormatCell(const Table& table, std::size_t row, std::size_t column, Look look,
                       std::size_t max_text_width) {
  if (table.IsNull(row, column)) return std::string(kNullCell);
  switch (table.columns()[column].type) {
    case ColumnType::kInt64:
      return FormatInteger(look, table.Int(row, column));
    case ColumnType::kDouble:
      return FormatNumber(look, table.Double(row, column));
    case ColumnType::kBool:
      return table.Bool(row, column) ? "true" : "false";
    case ColumnType::kString:
      break;
  }
  std::string text = SafeForTerminal(table.String(row, column));
  return max_text_width == 0 ? text : ShortenMiddle(text, max_text_width);
}

TextColumn FormatColumn(const Table& table, std::size_t column, std::size_t rows,
                        const TextOptions& options) {
  const ColumnSpec& spec = table.columns()[column];
  const Look look = LookOf(spec, options.numbers);
  TextColumn result{SafeForTerminal(spec.name), spec.type, {}};
  if (!spec.unit.empty() && !CellsShowUnit(look)) {
    result.header += " [" + SafeForTerminal(spec.unit) + "]";
  }
  result.cells.reserve(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    result.cells.push_back(FormatCell(table, row, column, look, options.max_text_width));
  }
  return result;
}

LayoutColumn Measure(const TextColumn& column) {
  LayoutColumn layout{column.header, 0, column.type == ColumnType::kString};
  for (const std::string& cell : column.cells) {
    layout.cell_width = std::max(layout.cell_width, CountCodePoints(cell));
  }
  return layout;
}

enum class Side { kLeft, kRight };

// Builds lines cell by cell. No line ends in a blank.
class LineWriter {
 public:
  explicit LineWriter(std::string& out) : out_(out), begin_(out.size()) {}

  void Cell(std::string_view text, std::size_t width, Side side,
            std::optional<Style> style = std::nullopt) {
    const std::size_t size = CountCodePoints(text);
    const std::size_t padding = width > size ? width - size : 0;
    if (side == Side::kRight) out_.append(padding, ' ');
    if (style && !text.empty()) {
      out_ += Marked(*style, text);
    } else {
      out_ += text;
    }
    out_.append(kColumnGap + (side == Side::kLeft ? padding : 0), ' ');
  }
  void End() {
    while (out_.size() > begin_ && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
    begin_ = out_.size();
  }

 private:
  std::string& out_;
  std::size_t begin_;  // of the line
};

void AppendHeader(std::string& out, const std::vector<TextColumn>& columns,
                  const std::vector<std::size_t>& widths) {
  std::vector<std::vector<std::string>> headers;
  std::size_t height = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    headers.push_back(BreakHeader(columns[i].header, widths[i]));
    height = std::max(height, headers.back().size());
  }
  LineWriter writer(out);
  for (std::size_t line = 0; line < height; ++line) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      // Short headers stand on the last line, next to their cells.
      const std::size_t missing = height - headers[i].size();
      const Side side = columns[i].on_the_right() ? Side::kRight : Side::kLeft;
      writer.Cell(line < missing ? "" : headers[i][line - missing], widths[i], side,
                  Style::kHeading);
    }
    writer.End();
  }
  for (const std::size_t width : widths) writer.Cell(std::string(width, '-'), width, Side::kLeft);
  writer.End();
}

void AppendRows(std::string& out, const std::vector<TextColumn>& columns,
                const std::vector<std::size_t>& widths, std::size_t rows) {
  LineWriter writer(out);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      const TextColumn& column = columns[i];
      const std::string& cell = column.cells[row];
      if (cell == kNullCell) {
        writer.Cell(cell, widths[i], column.on_the_right() ? Side::kRight : Side::kLeft,
                    Style::kAside);
      } else if (column.type == ColumnType::kString) {
        writer.Cell(ShortenMiddle(cell, widths[i]), widths[i], Side::kLeft);
      } else {
        writer.Cell(cell, widths[i], column.on_the_right() ? Side::kRight : Side::kLeft);
      }
    }
    writer.End();
  }
}

void AppendLeftOutColumns(std::string& out, const std::vector<TextColumn>& columns,
                          std::size_t shown, std::size_t max_width) {
  const std::size_t count = columns.size() - shown;
  if (count == 0) return;
  std::string line = fmt::format("... {} more {}:", count, count == 1 ? "column" : "columns");
  for (std::size_t i = shown; i < columns.size(); ++i) {
    line += (i == shown ? " " : ", ") + columns[i].header;
  }
  out += ShortenMiddle(line, max_width) + "\n";
}

}  // namespace

std::string WriteText(const Table& table, const TextOptions& options) {
  if (table.column_count() == 0) return "(no columns)\n";
  const std::size_t rows =
      options.max_rows == 0 ? table.row_count() : std::min(options.max_rows, table.row_count());
  std::vector<TextColumn> columns;
  std::vector<LayoutColumn> layout;
  for (std::size_t i = 0; i < table.column_count(); ++i) {
    columns.push_back(FormatColumn(table, i, rows, options));
    layout.push_back(Measure(columns.back()));
  }
  const std::vector<std::size_t> widths = LayOutColumns(layout, options.max_width);

  std::string out;
  AppendHeader(out, columns, widths);
  AppendRows(out, columns, widths, rows);
  if (table.row_count() == 0) out += "(no rows)\n";
  AppendLeftOutColumns(out, columns, widths.size(), options.max_width);
  if (const std::size_t more = table.row_count() - rows; more != 0) {
    out += fmt::format("... {} more {}\n", GroupedInteger(static_cast<std::int64_t>(more)),
                       more == 1 ? "row" : "rows");
  }
  return Resolve(out, options.colour);
}

}  // namespace rankscope
