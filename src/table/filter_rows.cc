#include "table/filter_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "table/find_column.h"

namespace rankscope {
namespace {

using Kind = Condition::Kind;

template <typename T>
std::optional<T> NumberOf(std::string_view text) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<bool> FlagOf(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string TextOf(const Value& cell) {
  if (const auto* text = std::get_if<std::string_view>(&cell)) return std::string(*text);
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return std::to_string(*number);
  return {};
}

// A condition with the place of its column and its value as the column has values.
struct Bound {
  Kind kind = Kind::kEqual;
  std::size_t column = 0;
  bool is_of_unknown = false;
  std::string text;
  Value value;  // null where `text` alone counts

  bool Holds(const Table& table, std::size_t row) const;
};

bool IsSo(Kind kind, std::partial_ordering order) {
  switch (kind) {
    case Kind::kEqual:
      return std::is_eq(order);
    case Kind::kNotEqual:
      return std::is_neq(order);
    case Kind::kLess:
      return std::is_lt(order);
    case Kind::kAtMost:
      return std::is_lteq(order);
    case Kind::kGreater:
      return std::is_gt(order);
    case Kind::kAtLeast:
      return std::is_gteq(order);
    case Kind::kContains:
      break;
  }
  return false;
}

// Both are of one type.
std::partial_ordering Compare(const Value& cell, const Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&cell))
    return *number <=> std::get<std::int64_t>(value);
  if (const auto* number = std::get_if<double>(&cell)) return *number <=> std::get<double>(value);
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag <=> std::get<bool>(value);
  return std::get<std::string_view>(cell) <=> std::get<std::string_view>(value);
}

bool Bound::Holds(const Table& table, std::size_t row) const {
  const bool is_unknown = table.IsNull(row, column);
  if (is_of_unknown) return is_unknown == (kind == Kind::kEqual);
  if (is_unknown) return false;
  const Value cell = table.At(row, column);
  if (kind == Kind::kContains) return TextOf(cell).find(text) != std::string::npos;
  return IsSo(kind, Compare(cell, value));
}

Status WrongValue(const ColumnSpec& column, std::string_view value) {
  return Error(StatusCode::kInvalidArgument, "column '{}' is of type {}: '{}' is none", column.name,
               ToString(column.type), value);
}

// `condition` outlives the result.
Result<Bound> Bind(const Table& table, const Condition& condition) {
  Bound bound{.kind = condition.kind, .text = condition.value};
  RS_ASSIGN_OR_RETURN(bound.column, FindColumn(table, condition.column));
  const bool is_equality = condition.kind == Kind::kEqual || condition.kind == Kind::kNotEqual;
  bound.is_of_unknown = is_equality && condition.value.empty();
  if (bound.is_of_unknown || condition.kind == Kind::kContains) return bound;
  const ColumnSpec& column = table.columns()[bound.column];
  const auto take = [&](const auto& value) -> Result<Bound> {
    if (!value) return WrongValue(column, condition.value);
    bound.value = *value;
    return bound;
  };
  switch (column.type) {
    case ColumnType::kInt64:
      return take(NumberOf<std::int64_t>(condition.value));
    case ColumnType::kDouble:
      return take(NumberOf<double>(condition.value));
    case ColumnType::kBool:
      return take(FlagOf(condition.value));
    case ColumnType::kString:
      break;
  }
  bound.value = std::string_view(condition.value);
  return bound;
}

}  // namespace

Result<Table> FilterRows(Table table, const std::vector<Condition>& conditions) {
  if (conditions.empty()) return table;
  std::vector<Bound> all;
  for (const Condition& condition : conditions) {
    RS_ASSIGN_OR_RETURN(Bound bound, Bind(table, condition));
    all.push_back(std::move(bound));
  }
  Table kept(table.name(), table.columns());
  std::vector<Value> cells(table.column_count());
  for (std::size_t row = 0; row < table.row_count(); ++row) {
    const bool holds = std::all_of(all.begin(), all.end(),
                                   [&](const Bound& one) { return one.Holds(table, row); });
    if (!holds) continue;
    for (std::size_t column = 0; column < cells.size(); ++column)
      cells[column] = table.At(row, column);
    kept.AddRow(cells);
  }
  return kept;
}

}  // namespace rankscope
