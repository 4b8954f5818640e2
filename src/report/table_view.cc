#include "report/table_view.h"

namespace rankscope {

// The column's index when the cell is known.
std::optional<std::size_t> TableView::Column(std::size_t row, std::string_view column) const {
  if (row >= rows()) return std::nullopt;
  const std::optional<std::size_t> index = table_->Find(column);
  return index && !table_->IsNull(row, *index) ? index : std::nullopt;
}

std::optional<double> TableView::Number(std::size_t row, std::string_view column) const {
  const auto index = Column(row, column);
  if (!index) return std::nullopt;
  switch (table_->columns()[*index].type) {
    case ColumnType::kInt64:
      return static_cast<double>(table_->Int(row, *index));
    case ColumnType::kDouble:
      return table_->Double(row, *index);
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> TableView::Int(std::size_t row, std::string_view column) const {
  const auto index = Column(row, column);
  if (!index || table_->columns()[*index].type != ColumnType::kInt64) return std::nullopt;
  return table_->Int(row, *index);
}

std::string_view TableView::String(std::size_t row, std::string_view column) const {
  const auto index = Column(row, column);
  if (!index || table_->columns()[*index].type != ColumnType::kString) return {};
  return table_->String(row, *index);
}

bool TableView::Flag(std::size_t row, std::string_view column) const {
  const auto index = Column(row, column);
  return index && table_->columns()[*index].type == ColumnType::kBool && table_->Bool(row, *index);
}

std::optional<std::size_t> TableView::FindRow(std::string_view column,
                                              std::string_view value) const {
  for (std::size_t row = 0; row < rows(); ++row) {
    if (String(row, column) == value) return row;
  }
  return std::nullopt;
}

}  // namespace rankscope
