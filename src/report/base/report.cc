#include "report/base/report.h"

namespace rankscope {

const Table* Report::Find(std::string_view name) const {
  for (const Table& table : tables) {
    if (table.name() == name) return &table;
  }
  return nullptr;
}

}  // namespace rankscope
