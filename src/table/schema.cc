#include "table/schema.h"

#include <algorithm>
#include <utility>

namespace rankscope {
namespace {

bool SameColumn(const ColumnSpec& a, const ColumnSpec& b) {
  return a.name == b.name && a.type == b.type;
}

}  // namespace

std::vector<ColumnSpec> SchemaColumns::BareColumns() const {
  std::vector<ColumnSpec> bare;
  bare.reserve(columns_.size());
  for (const ColumnSpec& column : columns_) bare.push_back({column.name, column.type});
  return bare;
}

bool SchemaColumns::Fits(const Table& table) const { return HasColumns(table, columns_); }

void SchemaColumns::CheckBegins(const Table& table) const {
  RS_CHECK(table.column_count() >= columns_.size() &&
               std::equal(columns_.begin(), columns_.end(), table.columns().begin(), SameColumn),
           "table {} does not begin with the {} columns of its schema, from {} to {}", table.name(),
           columns_.size(), columns_.front().name, columns_.back().name);
}

std::size_t SchemaColumns::Place(ColumnSpec spec, ColumnType type) {
  RS_CHECK(spec.type == type, "column {} is of type {}, its handle of {}", spec.name,
           ToString(spec.type), ToString(type));
  columns_.push_back(std::move(spec));
  return columns_.size() - 1;
}

std::size_t SchemaColumns::Place(ColumnType type, std::string name, std::string unit,
                                 std::string doc) {
  return Place({std::move(name), type, std::move(unit), std::move(doc)}, type);
}

bool HasColumns(const Table& table, std::span<const ColumnSpec> columns) {
  return std::equal(table.columns().begin(), table.columns().end(), columns.begin(), columns.end(),
                    SameColumn);
}

}  // namespace rankscope
