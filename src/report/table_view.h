// Reading a table whose columns are expected but not certain: reports are built from whatever
// tables there are, and a column that is missing reads as unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "report/report.h"

namespace rankscope {

// A cheap handle; the table must outlive it. A view of no table has no rows.
class TableView {
 public:
  explicit TableView(const Table* table) : table_(table) {}
  TableView(const Report& report, std::string_view name) : table_(report.Find(name)) {}

  std::size_t rows() const { return table_ == nullptr ? 0 : table_->row_count(); }
  bool empty() const { return rows() == 0; }

  // Of an int64 or a double column.
  std::optional<double> Number(std::size_t row, std::string_view column) const;
  std::optional<std::int64_t> Int(std::size_t row, std::string_view column) const;
  // "" when unknown.
  std::string_view String(std::size_t row, std::string_view column) const;
  // False when unknown.
  bool Flag(std::size_t row, std::string_view column) const;

  // The first row whose `column` is `value`.
  std::optional<std::size_t> FindRow(std::string_view column, std::string_view value) const;

 private:
  std::optional<std::size_t> Column(std::size_t row, std::string_view column) const;
  const Table* table_;
};

}  // namespace rankscope
