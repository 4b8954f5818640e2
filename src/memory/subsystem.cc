#include "memory/subsystem.h"

#include "memory/tables.h"

namespace rankscope::memory {
namespace {

TableTopic Tables() {
  TableTopic topic{
      .title = "Memory snapshots and timelines (rankscope memory)",
      .about =
          "[memory-snapshots.md](memory-snapshots.md) says how they are made. Bytes are as "
          "requested unless a column says otherwise; times count from the first event of the "
          "history.",
      .tables = {}};
  for (const MemoryTable& table : MemoryTables()) topic.tables.push_back(table.entry);
  return topic;
}

}  // namespace

const Subsystem& MemorySubsystem() {
  static const Subsystem kSubsystem = {
      .name = "memory",
      .about = "who holds a device's memory, by memory snapshots and timelines",
      .topics = {Tables()},
  };
  return kSubsystem;
}

}  // namespace rankscope::memory
