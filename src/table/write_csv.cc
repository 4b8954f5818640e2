#include "table/write_csv.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>
#include <string_view>

namespace rankscope {
namespace {

constexpr std::string_view kEndOfLine = "\r\n";

void AppendField(std::string& out, std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t quote = text.find('"', at);
    if (quote == std::string_view::npos) {
      out += text.substr(at);
      break;
    }
    out += text.substr(at, quote + 1 - at);
    out += '"';
    at = quote + 1;
  }
  out += '"';
}

void AppendCsvCell(std::string& out, const Table& table, std::size_t row, std::size_t column) {
  if (table.IsNull(row, column)) return;
  switch (table.columns()[column].type) {
    case ColumnType::kInt64: {
      const fmt::format_int digits(table.Int(row, column));
      out.append(digits.data(), digits.size());
      return;
    }
    case ColumnType::kDouble:
      fmt::format_to(std::back_inserter(out), FMT_COMPILE("{}"), table.Double(row, column));
      return;
    case ColumnType::kString:
      return AppendField(out, table.String(row, column));
    case ColumnType::kBool:
      out += table.Bool(row, column) ? "true" : "false";
  }
}

}  // namespace

void AppendCsvHeader(std::string& out, const Table& table) {
  for (std::size_t column = 0; column < table.column_count(); ++column) {
    if (column != 0) out += ',';
    AppendField(out, table.columns()[column].name);
  }
  out += kEndOfLine;
}

void AppendCsvRows(std::string& out, const Table& table) {
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    for (std::size_t column = 0; column < table.column_count(); ++column) {
      if (column != 0) out += ',';
      AppendCsvCell(out, table, row, column);
    }
    out += kEndOfLine;
  }
}

std::string WriteCsv(const Table& table) {
  std::string out;
  AppendCsvHeader(out, table);
  AppendCsvRows(out, table);
  return out;
}

}  // namespace rankscope
