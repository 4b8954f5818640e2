#include "cli/command_tables.h"

#include <fmt/core.h>

#include "compare/tables.h"
#include "hang/tables.h"
#include "memory/tables.h"

namespace rankscope::cli {
namespace {

CommandTables OfDiff() {
  CommandTables of{
      .title = "Two jobs compared (rankscope diff)",
      .about =
          "[diff.md](diff.md) says how jobs are compared. Times are means of a device's window "
          "in a counted step, rounded so that they add up.",
      .tables = {}};
  for (const DiffTable& table : DiffTables()) {
    of.tables.push_back({table.name, table.summary, *table.columns,
                         fmt::format("rankscope diff before/ after/ --table {}", table.name)});
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

CommandTables OfMemory() {
  CommandTables of{
      .title = "Memory snapshots and timelines (rankscope memory)",
      .about =
          "[memory-snapshots.md](memory-snapshots.md) says how they are made. Bytes are as "
          "requested unless a column says otherwise; times count from the first event of the "
          "history.",
      .tables = {}};
  for (const memory::MemoryTable& table : memory::MemoryTables()) {
    of.tables.push_back(
        {table.name, table.summary, *table.columns,
         fmt::format("rankscope memory {} --table {}", FilesOf(table.input), table.name)});
  }
  return of;
}

CommandTables OfHang() {
  CommandTables of{.title = "A job that stands still (rankscope hang)",
                   .about =
                       "[hang.md](hang.md) says how calls of ranks are matched and which wait "
                       "for which.",
                   .tables = {}};
  for (const HangTable& table : HangTableList()) {
    of.tables.push_back({table.name, table.summary, *table.columns,
                         fmt::format("rankscope hang dumps/ --table {}", table.name)});
  }
  return of;
}

}  // namespace

std::span<const CommandTables> TablesOfCommands() {
  static const std::vector<CommandTables> kTables = {OfDiff(), OfMemory(), OfHang()};
  return kTables;
}

const CommandTable* FindCommandTable(std::string_view name) {
  for (const CommandTables& command : TablesOfCommands()) {
    for (const CommandTable& table : command.tables) {
      if (table.name == name) return &table;
    }
  }
  return nullptr;
}

}  // namespace rankscope::cli
