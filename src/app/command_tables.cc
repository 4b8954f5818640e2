#include "app/command_tables.h"

#include <fmt/core.h>

#include <utility>

#include "compare/tables.h"
#include "hang/tables.h"
#include "memory/tables.h"

namespace rankscope::app {
namespace {

template <typename Listed>
void Add(TableGroup& group, const Listed& table, std::string example) {
  group.tables.push_back({.name = std::string(table.name),
                          .summary = std::string(table.summary),
                          .example = std::move(example),
                          .columns = *table.columns});
}

TableGroup OfDiff() {
  TableGroup of{
      .title = "Two jobs compared (rankscope diff)",
      .about =
          "[diff.md](diff.md) says how jobs are compared. Times are means of a device's window "
          "in a counted step, rounded so that they add up.",
      .subject = Subject::kPair,
      .tables = {}};
  for (const DiffTable& table : DiffTables()) {
    Add(of, table, fmt::format("rankscope diff before/ after/ --table {}", table.name));
  }
  return of;
}

std::string_view FilesOf(memory::Input input) {
  switch (input) {
    case memory::Input::kTwoSnapshots:
      return "early.pickle late.pickle";
    case memory::Input::kTimeline:
      return "timeline.raw.json.gz";
    case memory::Input::kSnapshot:
      break;
  }
  return "snapshot.pickle";
}

TableGroup OfMemory() {
  TableGroup of{
      .title = "Memory snapshots and timelines (rankscope memory)",
      .about =
          "[memory-snapshots.md](memory-snapshots.md) says how they are made. Bytes are as "
          "requested unless a column says otherwise; times count from the first event of the "
          "history.",
      .subject = Subject::kMemory,
      .tables = {}};
  for (const memory::MemoryTable& table : memory::MemoryTables()) {
    Add(of, table, fmt::format("rankscope memory {} --table {}", FilesOf(table.input), table.name));
  }
  return of;
}

TableGroup OfHang() {
  TableGroup of{.title = "A job that stands still (rankscope hang)",
                .about =
                    "[hang.md](hang.md) says how calls of ranks are matched and which wait "
                    "for which.",
                .subject = Subject::kDumps,
                .tables = {}};
  for (const HangTable& table : HangTableList()) {
    Add(of, table, fmt::format("rankscope hang dumps/ --table {}", table.name));
  }
  return of;
}

}  // namespace

std::vector<TableGroup> GroupsOfCommands() {
  std::vector<TableGroup> groups;
  groups.push_back(OfDiff());
  groups.push_back(OfMemory());
  groups.push_back(OfHang());
  return groups;
}

}  // namespace rankscope::app
