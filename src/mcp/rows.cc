#include "mcp/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/utf8.h"
#include "json/writer.h"
#include "mcp/arguments.h"
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

std::string TextCell(std::string_view text) {
  std::string json;
  json::Writer writer(json);
  if (text.size() <= kMostCellBytes) {
    writer.Write(text);
  } else {
    writer.Write(fmt::format("{}... ({} bytes)", CutTo(text, kMostCellBytes), text.size()));
  }
  return json;
}

std::string RealCell(double number) {
  std::string json;
  json::Writer(json).Write(Rounded(number));
  return json;
}

std::string CellOf(const Table& table, std::size_t row, std::size_t column) {
  const Value cell = table.At(row, column);
  if (const auto* const text = std::get_if<std::string_view>(&cell)) return TextCell(*text);
  if (const auto* const number = std::get_if<double>(&cell)) return RealCell(*number);
  std::string json;
  json::Writer writer(json);
  WriteCell(writer, table, row, column);
  return json;
}

std::string CellOf(const json::Value& cell) {
  if (const auto text = cell.Text()) return TextCell(*text);
  if (const auto number = cell.Number(); number && !cell.Integer()) return RealCell(*number);
  return cell.ToString();
}

// Takes rows while they fit.
class Answer {
 public:
  explicit Answer(RowsResult& result) : result_(result) {}

  // False for one that does not fit, which is not taken, like all behind it.
  bool Take(std::vector<json::RawJson> cells) {
    for (const json::RawJson& cell : cells) bytes_ += cell.text.size() + 1;
    if (bytes_ > kMostAnswerBytes && !result_.rows.empty()) return false;
    result_.rows.push_back(std::move(cells));
    return true;
  }

  // There were `asked` rows to take, and `all` without the limit.
  void Finish(std::size_t asked, std::uint64_t all) {
    const std::size_t shown = result_.rows.size();
    result_.row_count = static_cast<std::int64_t>(all);
    if (shown < asked) {
      result_.left_out = fmt::format(
          "{} of {} rows, which is what one answer holds: name columns, filter or aggregate", shown,
          all);
    } else if (shown < all) {
      result_.left_out = fmt::format(
          "{} of {} rows: filter, sort, or take a higher limit (up to {})", shown, all, kMostRows);
    }
  }

 private:
  RowsResult& result_;
  std::size_t bytes_ = 0;
};

ResultColumn ColumnOf(std::string_view name, std::string_view type, std::string_view unit) {
  return {.name = std::string(name),
          .type = std::string(type),
          .unit = unit.empty() ? std::nullopt : std::optional<std::string>(unit)};
}

}  // namespace

RowsResult RowsResultOf(const FoundRows& found) {
  const Table& table = found.table;
  RowsResult result{.table = table.name()};
  for (const ColumnSpec& column : table.columns())
    result.columns.push_back(ColumnOf(column.name, ToString(column.type), column.unit));
  Answer answer(result);
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    std::vector<json::RawJson> cells;
    cells.reserve(table.column_count());
    for (std::size_t column = 0; column < table.column_count(); ++column)
      cells.push_back({CellOf(table, row, column)});
    if (!answer.Take(std::move(cells))) break;
  }
  answer.Finish(table.row_count(), found.row_count);
  return result;
}

Result<RowsResult> RowsResultOf(std::string_view name, const json::Value& table,
                                std::int64_t limit) {
  RowsResult result{.table = std::string(name)};
  RS_ASSIGN_OR_RETURN(const std::vector<json::Value> columns, table["columns"].NeedItems());
  for (const json::Value& column : columns)
    result.columns.push_back(
        ColumnOf(column["name"].TextOr(""), column["type"].TextOr(""), column["unit"].TextOr("")));
  RS_ASSIGN_OR_RETURN(const std::vector<json::Value> rows, table["rows"].NeedItems());
  const std::size_t asked = std::min(rows.size(), static_cast<std::size_t>(limit));
  Answer answer(result);
  for (std::size_t row = 0; row < asked; ++row) {
    std::vector<json::RawJson> cells;
    for (const json::Value& cell : rows[row].Items()) cells.push_back({CellOf(cell)});
    if (!answer.Take(std::move(cells))) break;
  }
  answer.Finish(asked, table["row_count"].Unsigned().value_or(rows.size()));
  return result;
}

}  // namespace rankscope::mcp
