// Table: named, typed columns of equal length with units. The only thing that analyses produce and that everything else shows.
//
//   Table table("step_times", {{.name = "rank", .type = ColumnType::kInt64},
//                              {.name = "duration", .type = ColumnType::kInt64, .unit = "ns"}});
//   table.AddRow({std::int64_t{0}, std::int64_t{12'345}});
//   table.AddRow({std::int64_t{1}, kNull});          // unknown is null, never 0 or NaN
//
// Values are kept column by column; strings in one arena per column. A Table is copyable, not thread-safe for writing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

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
  Table(std::string name, std::vector<ColumnSpec> columns);

  const std::string& name() const { return name_; }
  const std::vector<ColumnSpec>& columns() const { return specs_; }
  std::size_t row_count() const { return row_count_; }
  std::size_t column_count() const { return specs_.size(); }
  // Index of a column, or nullopt.
  std::optional<std::size_t> Find(std::string_view column) const;

  // Adds a row; `row` has one value per column, each null or of the column's type (an int64 also fits a double column).
  // A NaN or infinite double is stored as null.
  void AddRow(const std::vector<Value>& row);
  // Adds all rows of a table with the same column names and types.
  void Append(const Table& other);

  Value At(std::size_t row, std::size_t column) const;
  bool IsNull(std::size_t row, std::size_t column) const;
  // Typed access; the cell must not be null and the column must have that type.
  std::int64_t Int(std::size_t row, std::size_t column) const;
  double Double(std::size_t row, std::size_t column) const;
  std::string_view String(std::size_t row, std::size_t column) const;
  bool Bool(std::size_t row, std::size_t column) const;

  // Stable sort of the rows; each key is a column index, `descending` per key. Null sorts last either way.
  struct SortKey {
    std::size_t column = 0;
    bool descending = false;
  };
  void SortBy(const std::vector<SortKey>& keys);
  // Keeps the first `count` rows.
  void Truncate(std::size_t count);

  friend bool operator==(const Table&, const Table&);

 private:
  struct Data {
    std::vector<std::int64_t> ints;       // kInt64 and kBool
    std::vector<double> doubles;          // kDouble
    std::vector<std::uint64_t> text_end;  // kString: end offset of each row's text in `text`
    std::string text;
    std::vector<bool> null;
  };
  friend class TableCodec;

  std::string name_;
  std::vector<ColumnSpec> specs_;
  std::vector<Data> data_;
  std::size_t row_count_ = 0;
};

}  // namespace rankscope
