#include "table/find_column.h"

#include <string>
#include <vector>

#include "base/nearest_name.h"

namespace rankscope {

Result<std::size_t> FindColumn(const Table& table, std::string_view name) {
  if (const auto index = table.Find(name)) return *index;
  std::vector<std::string> names;
  std::string all;
  for (const ColumnSpec& column : table.columns()) {
    names.push_back(column.name);
    all += (all.empty() ? "" : ", ") + column.name;
  }
  const std::string_view nearest = NearestName(name, names);
  if (!nearest.empty())
    return Error(StatusCode::kInvalidArgument, "{} has no column '{}'; did you mean '{}'?",
                 table.name(), name, nearest);
  return Error(StatusCode::kInvalidArgument, "{} has no column '{}'; there are {}", table.name(),
               name, all);
}

}  // namespace rankscope
