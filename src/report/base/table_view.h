// Reads tables that may be missing: reports are made from the available tables.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "report/base/report.h"
#include "table/schema.h"

namespace rankscope {

// The rows of a table by the handles of its schema:
//
//   const RowsOf<KernelsByName> kernels(report);
//   kernels.Number(row, kernels->share_pct)
//
// If the report lacks that table, or it has other columns, there are no rows. A cheap handle; the
// table must outlive it.
template <typename T>
class RowsOf {
 public:
  explicit RowsOf(const Report& report) : RowsOf(report.Find(T::kName)) {}
  explicit RowsOf(const Table* table) {
    if (table != nullptr && SchemaOf<T>().Fits(*table)) view_.emplace(*table);
  }

  const T* operator->() const { return &SchemaOf<T>(); }
  std::size_t rows() const { return view_ ? view_->row_count() : 0; }
  bool empty() const { return rows() == 0; }

  std::optional<std::int64_t> Int(std::size_t row, ColumnHandle<T, std::int64_t> column) const {
    return view_->Known(row, column);
  }
  std::optional<double> Number(std::size_t row, ColumnHandle<T, double> column) const {
    return view_->Known(row, column);
  }
  std::optional<double> Number(std::size_t row, ColumnHandle<T, std::int64_t> column) const {
    const auto whole = Int(row, column);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
  }
  // "" when unknown.
  std::string_view String(std::size_t row, ColumnHandle<T, std::string_view> column) const {
    return view_->TextOrEmpty(row, column);
  }
  // False when unknown.
  bool Flag(std::size_t row, ColumnHandle<T, bool> column) const {
    return !view_->IsNull(row, column) && view_->Bool(row, column);
  }

 private:
  std::optional<ViewOf<T>> view_;
};

}  // namespace rankscope
