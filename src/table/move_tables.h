// The return value of a mapper, without copies of its tables.
#pragma once

#include <utility>
#include <vector>

#include "table/table.h"

namespace rankscope {

// The tables in a vector; `return {table}` would copy each twice.
template <typename... Tables>
std::vector<Table> MoveTables(Tables&&... tables) {
  std::vector<Table> moved;
  moved.reserve(sizeof...(tables));
  (moved.push_back(std::forward<Tables>(tables)), ...);
  return moved;
}

}  // namespace rankscope
