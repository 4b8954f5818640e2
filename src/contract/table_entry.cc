#include "contract/table_entry.h"

#include <algorithm>

namespace rankscope {

const TableEntry* FindEntry(std::span<const TableEntry> tables, std::string_view name) {
  const auto found = std::ranges::find(tables, name, &TableEntry::name);
  return found == tables.end() ? nullptr : &*found;
}

}  // namespace rankscope
