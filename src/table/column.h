// Handles of columns, and the cells written with them. A handle's type includes its schema
// (table/schema.h): it reads and writes tables of that schema and of derived ones; with any other
// it does not compile.
//
//   struct Copies : Schema<Copies> { IntColumn bytes = Int("bytes", "bytes"); };
//   Copies::IntColumn bytes = SchemaOf<Copies>().bytes;   // one index wide
//   CellOf<Copies> cell = (SchemaOf<Copies>().bytes = 5);
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "table/table.h"

namespace rankscope {

// True if a handle of Base may be used for tables of S.
template <typename Base, typename S>
concept IsPartOf = std::derived_from<S, Base>;

// A cell and its column, for a table of schema S.
template <typename S>
struct CellOf {
  std::size_t column = 0;
  Value value;

  CellOf(std::size_t to_column, const Value& of_value) : column(to_column), value(of_value) {}
  template <typename Base>
  requires(!std::same_as<Base, S>) && IsPartOf<Base, S> CellOf(const CellOf<Base>& cell)
      : column(cell.column),
  value(cell.value) {}  // NOLINT: converts
};

// A column of schema S with values of type T. `schema.rank = 3` makes a cell. An empty optional is
// null.
template <typename S, typename T>
class ColumnHandle {
 public:
  explicit constexpr ColumnHandle(std::size_t index) : index_(index) {}
  constexpr ColumnHandle(const ColumnHandle&) = default;
  template <typename Base>
  requires(!std::same_as<Base, S>) && IsPartOf<Base, S> constexpr ColumnHandle(
                                          ColumnHandle<Base, T> column)  // NOLINT: converts
      : index_(column.index()) {}
  ColumnHandle& operator=(const ColumnHandle&) = delete;
  constexpr std::size_t index() const { return index_; }

  // From T, std::optional<T>, null, or a Value (whose type is checked when the row is added).
  // Integers fit a real column; nothing else is converted.
  template <typename V>
  CellOf<S> operator=(const V& value) const {  // NOLINT: makes a cell
    if constexpr (std::is_same_v<V, Null> || std::is_same_v<V, Value>) {
      return {index_, value};
    } else if constexpr (std::is_same_v<V, std::optional<T>>) {
      return {index_, value ? Value(*value) : Value(kNull)};
    } else if constexpr (std::is_same_v<T, double>) {
      static_assert(std::is_arithmetic_v<V> && !std::is_same_v<V, bool>);
      return {index_, static_cast<double>(value)};
    } else {
      return {index_, T{value}};
    }
  }

 private:
  std::size_t index_;
};

// A column of S of any type, for lists of several.
template <typename S>
struct AnyColumnOf {
  template <typename Base, typename T>
  requires IsPartOf<Base, S>
  constexpr AnyColumnOf(ColumnHandle<Base, T> column)
      : index(column.index()) {}  // NOLINT: converts
  std::size_t index;
};

}  // namespace rankscope
