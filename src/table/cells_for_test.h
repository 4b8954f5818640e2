// Cells of tables by the names of their columns.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace rankscope {

// The named columns of a table as lines of comma-separated text; null is empty.
inline std::string Rows(const Table& table, const std::vector<std::string_view>& columns) {
  std::string text;
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (i > 0) text += ',';
      const Value value = table.At(row, table.Find(columns[i]).value());
      if (const auto* whole = std::get_if<std::int64_t>(&value)) text += fmt::format("{}", *whole);
      if (const auto* real = std::get_if<double>(&value)) text += fmt::format("{}", *real);
      if (const auto* string = std::get_if<std::string_view>(&value)) text += *string;
      if (const auto* flag = std::get_if<bool>(&value)) text += *flag ? "true" : "false";
    }
    text += '\n';
  }
  return text;
}

// A cell of a table by the column's name.
inline Value Cell(const Table& table, std::size_t row, std::string_view column) {
  return table.At(row, table.Find(column).value());
}
inline std::int64_t IntCell(const Table& table, std::size_t row, std::string_view column) {
  return std::get<std::int64_t>(Cell(table, row, column));
}

}  // namespace rankscope
