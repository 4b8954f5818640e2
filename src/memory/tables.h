// The single list of the tables of memory snapshots and memory timelines.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "contract/table_entry.h"

namespace rankscope::memory {

// The input files of a table.
enum class Input : std::uint8_t { kSnapshot, kTwoSnapshots, kTimeline };

struct MemoryTable {
  TableEntry entry;
  Input input = Input::kSnapshot;
};

std::span<const MemoryTable> MemoryTables();

// Null if no table has that name.
const MemoryTable* FindMemoryTable(std::string_view name);

}  // namespace rankscope::memory
