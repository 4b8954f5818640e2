// Reading tables that may be missing: reports are built from whatever tables there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "report/report.h"
#include "table/schema.h"

namespace rankscope {

// The rows of a table by the handles of its schema:
//
//   const RowsOf<KernelsByName> kernels(report);
//   kernels.Number(row, kernels->share_pct)
//
// A report without that table, or with one of other columns, has no rows of it. A cheap handle; the
// table must outlive it.
template <typename T>
class RowsOf {
 public:
  explicit RowsOf(const Report& report) : RowsOf(report.Find(T::kName)) {}
  explicit RowsOf(const Table* table)
      : table_(table != nullptr && SchemaOf<T>().Fits(*table) ? table : nullptr) {}

  const T* operator->() const { return &SchemaOf<T>(); }
  std::size_t rows() const { return table_ == nullptr ? 0 : table_->row_count(); }
  bool empty() const { return rows() == 0; }

  std::optional<std::int64_t> Int(std::size_t row, IntColumn column) const {
    return table_->Known(row, column);
  }
  std::optional<double> Number(std::size_t row, RealColumn column) const {
    return table_->Known(row, column);
  }
  std::optional<double> Number(std::size_t row, IntColumn column) const {
    const auto whole = Int(row, column);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
  }
  // "" when unknown.
  std::string_view String(std::size_t row, StringColumn column) const {
    return table_->IsNull(row, column) ? std::string_view() : table_->String(row, column);
  }
  // False when unknown.
  bool Flag(std::size_t row, FlagColumn column) const {
    return !table_->IsNull(row, column) && table_->Bool(row, column);
  }

 private:
  const Table* table_;
};

}  // namespace rankscope
