#include "mcp/rows.h"

#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/utf8.h"
#include "json/writer.h"
#include "mcp/rounded.h"
#include "table/write_json.h"

namespace rankscope::mcp {
namespace {

// Not within a character.
std::string_view CutTo(std::string_view text, std::size_t most) {
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t next = end + DecodeUtf8(text, end).bytes;
    if (next > most) break;
    end = next;
  }
  return text.substr(0, end);
}

std::string CellOf(const Table& table, std::size_t row, std::size_t column) {
  std::string json;
  json::Writer writer(json);
  const Value cell = table.At(row, column);
  const auto* const text = std::get_if<std::string_view>(&cell);
  if (text != nullptr && text->size() > kMostCellBytes) {
    writer.Write(fmt::format("{}... ({} bytes)", CutTo(*text, kMostCellBytes), text->size()));
  } else if (const auto* const number = std::get_if<double>(&cell)) {
    writer.Write(Rounded(*number));
  } else {
    WriteCell(writer, table, row, column);
  }
  return json;
}

std::string SentenceOf(std::size_t shown, std::size_t asked, std::uint64_t all) {
  if (shown < asked)
    return fmt::format(
        "{} of {} rows, which is what one answer holds: name columns, filter or aggregate", shown,
        all);
  return fmt::format("{} of {} rows: filter, sort, or take a higher limit (up to {})", shown, all,
                     kMostRows);
}

}  // namespace

RowsResult RowsResultOf(const FoundRows& found) {
  const Table& table = found.table;
  RowsResult result{.table = table.name(), .row_count = static_cast<std::int64_t>(found.row_count)};
  for (const ColumnSpec& column : table.columns()) {
    result.columns.push_back(
        {.name = column.name,
         .type = std::string(ToString(column.type)),
         .unit = column.unit.empty() ? std::nullopt : std::optional(column.unit)});
  }
  std::size_t bytes = 0;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    std::vector<json::RawJson> cells;
    for (std::size_t column = 0; column < table.column_count(); ++column) {
      cells.push_back({CellOf(table, row, column)});
      bytes += cells.back().text.size() + 1;
    }
    if (bytes > kMostAnswerBytes && row > 0) break;
    result.rows.push_back(std::move(cells));
  }
  if (result.rows.size() < found.row_count)
    result.left_out = SentenceOf(result.rows.size(), table.row_count(), found.row_count);
  return result;
}

}  // namespace rankscope::mcp
