// TableOf and ViewOf: a table with a schema known at compile time. Rows are written and read with
// the schema's handles; a handle of another schema does not compile.
//
//   TableOf<StepSums> table = SchemaOf<StepSums>().NewTable("step_sums");
//   table.Add({sums.step = 5, sums.total_ns = 1200});     // what is not named is null
//   table.SortBy({{sums.total_ns, true}, {sums.step}});
//
//   std::int64_t Total(ViewOf<StepSums> rows);            // takes a TableOf<StepSums> or a Table
//
// A TableOf is a Table with a static schema, and generic code can use it as a Table. A Table from
// elsewhere (a partial, another analysis, a file) becomes a ViewOf or a TableOf when its reader
// names the schema; different columns end the program (RS_CHECK).
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "table/column.h"
#include "table/table.h"

namespace rankscope {

template <typename T>
const T& SchemaOf();

// Reading by handles of S. `Derived` has `const Table& table() const`.
template <typename S, typename Derived>
class ReadsOf {
 public:
  // The cell must not be null.
  std::int64_t Int(std::size_t row, ColumnHandle<S, std::int64_t> column) const {
    return rows().Int(row, column.index());
  }
  double Double(std::size_t row, ColumnHandle<S, double> column) const {
    return rows().Double(row, column.index());
  }
  std::string_view String(std::size_t row, ColumnHandle<S, std::string_view> column) const {
    return rows().String(row, column.index());
  }
  bool Bool(std::size_t row, ColumnHandle<S, bool> column) const {
    return rows().Bool(row, column.index());
  }
  bool IsNull(std::size_t row, AnyColumnOf<S> column) const {
    return rows().IsNull(row, column.index);
  }
  Value At(std::size_t row, AnyColumnOf<S> column) const { return rows().At(row, column.index); }
  // "" if the cell is null.
  std::string_view TextOrEmpty(std::size_t row, ColumnHandle<S, std::string_view> column) const {
    return IsNull(row, column) ? std::string_view() : String(row, column);
  }
  // nullopt if the cell is null.
  std::optional<std::int64_t> Known(std::size_t row, ColumnHandle<S, std::int64_t> column) const {
    return IsNull(row, column) ? std::nullopt : std::optional(Int(row, column));
  }
  std::optional<double> Known(std::size_t row, ColumnHandle<S, double> column) const {
    return IsNull(row, column) ? std::nullopt : std::optional(Double(row, column));
  }

 private:
  const Table& rows() const { return static_cast<const Derived&>(*this).table(); }
};

template <typename S>
class TableOf : public Table, public ReadsOf<S, TableOf<S>> {
 public:
  struct SortKey {
    AnyColumnOf<S> column;
    bool descending = false;
  };

  TableOf() = default;  // without columns and rows
  // The table's first columns must be those of S.
  explicit TableOf(Table table) : Table(std::move(table)) { SchemaOf<S>().CheckBegins(*this); }

  const Table& table() const { return *this; }
  using ReadsOf<S, TableOf<S>>::Int;
  using ReadsOf<S, TableOf<S>>::Double;
  using ReadsOf<S, TableOf<S>>::String;
  using ReadsOf<S, TableOf<S>>::Bool;
  using ReadsOf<S, TableOf<S>>::IsNull;
  using ReadsOf<S, TableOf<S>>::At;
  using ReadsOf<S, TableOf<S>>::Known;

  // Adds a row of these cells, at most one per column; other columns are null.
  void Add(std::initializer_list<CellOf<S>> cells) {
    for (const CellOf<S>& cell : cells) PutCell(cell.column, cell.value);
    EndRow();
  }
  // Sets every cell of a column.
  void Fill(ColumnHandle<S, std::int64_t> column, std::int64_t value) {
    Table::Fill(column.index(), value);
  }
  // Subtracts `less` from every known cell of a column, clamped to the range of int64.
  void Subtract(ColumnHandle<S, std::int64_t> column, std::int64_t less) {
    Table::Subtract(column.index(), less);
  }
  // As Table::SortBy.
  void SortBy(std::initializer_list<SortKey> keys) {
    std::vector<Table::SortKey> by;
    by.reserve(keys.size());
    for (const SortKey& key : keys) by.push_back({key.column.index, key.descending});
    Table::SortBy(by);
  }
};

// A table read with schema S. One pointer wide; the table must outlive it. Making it from a Table
// compares the column names, so do it once per table, not per row.
template <typename S>
class ViewOf : public ReadsOf<S, ViewOf<S>> {
 public:
  ViewOf(const Table& table) : table_(&table) {  // NOLINT: converts
    SchemaOf<S>().CheckBegins(table);
  }
  template <std::derived_from<S> D>
  ViewOf(const TableOf<D>& table) : table_(&table) {}  // NOLINT: converts
  template <std::derived_from<S> D>
  ViewOf(ViewOf<D> view) : table_(&view.table()) {}  // NOLINT: converts
  template <typename D>
  requires(!std::derived_from<D, S>) ViewOf(const TableOf<D>&)
  = delete;
  template <typename D>
  requires(!std::derived_from<D, S>) ViewOf(ViewOf<D>)
  = delete;

  const Table& table() const { return *table_; }
  operator const Table&() const { return *table_; }  // NOLINT: converts
  std::size_t row_count() const { return table_->row_count(); }

 private:
  const Table* table_;
};

// For a table that may be missing: nullopt for null.
template <typename S>
std::optional<ViewOf<S>> OptionalView(const Table* table) {
  return table == nullptr ? std::nullopt : std::optional(ViewOf<S>(*table));
}

}  // namespace rankscope
