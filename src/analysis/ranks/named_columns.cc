#include "analysis/ranks/named_columns.h"

#include <algorithm>

#include "base/check.h"

namespace rankscope {

std::size_t NamedColumns::IndexOf(std::string_view name) const {
  const auto& columns = analysis_.columns;
  const auto found = std::ranges::find(columns, name, &ColumnSpec::name);
  RS_CHECK(found != columns.end(), "{} has no column {}", analysis_.name, name);
  return static_cast<std::size_t>(found - columns.begin());
}

AnyColumn NamedColumns::operator[](std::string_view name) const { return IntColumn(IndexOf(name)); }

WindowColumns NamedColumns::windows() const {
  return {IntColumn(IndexOf("rank")), IntColumn(IndexOf("step")), FlagColumn(IndexOf("complete"))};
}

}  // namespace rankscope
