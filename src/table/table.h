// Table: named, typed columns of equal length with units. It is the only output of analyses and the
// only input of all presentations.
//
//   Table table("step_times", {{.name = "rank", .type = ColumnType::kInt64},
//                              {.name = "duration", .type = ColumnType::kInt64, .unit = "ns"}});
//   table.AddRow({std::int64_t{0}, std::int64_t{12'345}});
//   table.AddRow({std::int64_t{1}, kNull});          // unknown is null, never 0 or NaN
//
// Values are stored by column: integers and flags packed in blocks of 4,096 (packed_ints.h), other
// numbers in 8 bytes, strings in one arena per column with 8 bytes plus the text each, and one bit
// per cell for null. A Table is copyable, and not thread-safe for writing; any number of threads
// may read it. Rows or columns that do not fit the table are errors of the program, not of the
// data, and end it (RS_CHECK).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "table/packed_ints.h"

namespace rankscope {

enum class ColumnType : std::uint8_t { kInt64, kDouble, kString, kBool };

// "int64", "double", "string", "bool".
std::string_view ToString(ColumnType type);

struct ColumnSpec {
  std::string name;  // snake_case
  ColumnType type = ColumnType::kInt64;
  std::string unit;  // "ns", "bytes", "bytes/s", "%", "" when it has none
  std::string doc;   // one sentence: what the number is
  friend bool operator==(const ColumnSpec&, const ColumnSpec&) = default;
};

struct Null {
  friend bool operator==(Null, Null) { return true; }
};
inline constexpr Null kNull{};

// One cell. Views point into the table (or the caller's text while adding).
using Value = std::variant<Null, std::int64_t, double, std::string_view, bool>;

class Table {
 public:
  Table() = default;
  // A table without columns has no rows.
  Table(std::string name, std::vector<ColumnSpec> columns);

  const std::string& name() const { return name_; }
  const std::vector<ColumnSpec>& columns() const { return specs_; }
  std::size_t row_count() const { return row_count_; }
  std::size_t column_count() const { return specs_.size(); }
  // Approximate memory. O(rows / 4096).
  std::size_t bytes() const;
  // Index of a column, or nullopt.
  std::optional<std::size_t> Find(std::string_view column) const;

  // Adds a row; `row` has one value per column, each null or of the column's type (an int64 also
  // fits a double column). A NaN or infinite double is stored as null.
  void AddRow(const std::vector<Value>& row);
  // Adds all rows of a table with the same column names and types; units and docs are ignored.
  void Append(const Table& other);

  Value At(std::size_t row, std::size_t column) const;
  bool IsNull(std::size_t row, std::size_t column) const;
  // Typed access; the cell must not be null and the column must have that type.
  std::int64_t Int(std::size_t row, std::size_t column) const;
  double Double(std::size_t row, std::size_t column) const;
  std::string_view String(std::size_t row, std::size_t column) const;
  bool Bool(std::size_t row, std::size_t column) const;

  // Sets every cell of an int64 column.
  void Fill(std::size_t column, std::int64_t value);
  // Subtracts `less` from every known cell of an int64 column, clamped to the range of int64.
  void Subtract(std::size_t column, std::int64_t less);

  // Stable sort of the rows; each key is a column index, `descending` per key. Null sorts last
  // either way, strings by their bytes, false before true. O(rows * log(rows) * keys).
  struct SortKey {
    std::size_t column = 0;
    bool descending = false;
  };
  void SortBy(const std::vector<SortKey>& keys);
  // Keeps the first `count` rows, or all if there are fewer.
  void Truncate(std::size_t count);

  // Equal in name, columns (units and docs too) and every cell.
  friend bool operator==(const Table&, const Table&);

 protected:
  // Adds a row cell by cell; cells that are not set before its end are null. At most one value per
  // column.
  void PutCell(std::size_t column, const Value& value);
  void EndRow();

 private:
  // The cells of one column, in the vectors of its type. A null cell holds 0 or no text, so equal
  // tables have equal data.
  struct Data {
    PackedInts ints;                      // kInt64 and kBool
    std::vector<double> doubles;          // kDouble
    std::vector<std::uint64_t> text_end;  // kString: end offset of each row's text in `text`
    std::string text;
    std::vector<bool> null;

    void Add(const ColumnSpec& spec, const Value& value);
    void AddNull(ColumnType type);
    std::string_view Text(std::size_t row) const;
    // Less than, equal to or greater than 0. Neither cell is null.
    int Compare(ColumnType type, std::size_t a, std::size_t b) const;
    // The same cells with row i taken from row order[i].
    Data Reordered(ColumnType type, const std::vector<std::size_t>& order) const;
    friend bool operator==(const Data&, const Data&) = default;
  };
  const Data& Typed(std::size_t row, std::size_t column, ColumnType type) const;
  friend class TableCodec;
  friend class TableColumns;

  std::string name_;
  std::vector<ColumnSpec> specs_;
  std::vector<Data> data_;
  std::size_t row_count_ = 0;
};

}  // namespace rankscope
