#include "table/schema.h"

#include <algorithm>
#include <utility>

namespace rankscope {

std::vector<ColumnSpec> Schema::BareColumns() const {
  std::vector<ColumnSpec> bare;
  bare.reserve(columns_.size());
  for (const ColumnSpec& column : columns_) bare.push_back({column.name, column.type});
  return bare;
}

bool Schema::Fits(const Table& table) const { return HasColumns(table, columns_); }

std::size_t Schema::Place(ColumnSpec spec, ColumnType type) {
  RS_CHECK(spec.type == type, "column {} is of type {}, its handle of {}", spec.name,
           ToString(spec.type), ToString(type));
  columns_.push_back(std::move(spec));
  return columns_.size() - 1;
}

IntColumn Schema::Int(ColumnSpec shared) {
  return IntColumn(Place(std::move(shared), ColumnType::kInt64));
}
RealColumn Schema::Real(ColumnSpec shared) {
  return RealColumn(Place(std::move(shared), ColumnType::kDouble));
}
StringColumn Schema::Text(ColumnSpec shared) {
  return StringColumn(Place(std::move(shared), ColumnType::kString));
}
FlagColumn Schema::Flag(ColumnSpec shared) {
  return FlagColumn(Place(std::move(shared), ColumnType::kBool));
}

IntColumn Schema::Int(std::string name, std::string unit, std::string doc) {
  return Int(ColumnSpec{std::move(name), ColumnType::kInt64, std::move(unit), std::move(doc)});
}
RealColumn Schema::Real(std::string name, std::string unit, std::string doc) {
  return Real(ColumnSpec{std::move(name), ColumnType::kDouble, std::move(unit), std::move(doc)});
}
StringColumn Schema::Text(std::string name, std::string doc) {
  return Text(ColumnSpec{std::move(name), ColumnType::kString, "", std::move(doc)});
}
FlagColumn Schema::Flag(std::string name, std::string doc) {
  return Flag(ColumnSpec{std::move(name), ColumnType::kBool, "", std::move(doc)});
}

bool HasColumns(const Table& table, std::span<const ColumnSpec> columns) {
  return std::equal(table.columns().begin(), table.columns().end(), columns.begin(), columns.end(),
                    [](const ColumnSpec& a, const ColumnSpec& b) {
                      return a.name == b.name && a.type == b.type;
                    });
}

}  // namespace rankscope
