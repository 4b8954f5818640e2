// The one list of the tables of memory snapshots and memory timelines: `rankscope memory --table`,
// `rankscope list`, completion and docs/tables.md are made of it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace rankscope::memory {

enum class Input { kSnapshot, kTwoSnapshots, kTimeline };

struct MemoryTable {
  std::string_view name;
  std::string_view summary;  // one line
  Input input = Input::kSnapshot;
  const std::vector<ColumnSpec>* columns = nullptr;
};

std::span<const MemoryTable> MemoryTables();

// Null when there is none of that name.
const MemoryTable* FindMemoryTable(std::string_view name);

}  // namespace rankscope::memory
