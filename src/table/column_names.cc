#include "table/column_names.h"

#include <fmt/core.h>

#include <set>

#include "base/letter_case.h"

namespace rankscope {
namespace {}  // namespace

std::vector<std::string> UniqueNames(std::span<const ColumnSpec> columns) {
  std::vector<std::string> names;
  std::set<std::string> used;
  for (const ColumnSpec& column : columns) {
    names.push_back(column.name);
    for (int i = 1; !used.insert(LowerCase(names.back())).second; ++i)
      names.back() = fmt::format("{}_{}", column.name, i);
  }
  return names;
}

}  // namespace rankscope
