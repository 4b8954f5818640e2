// Every table and view that there is, with its columns, options and what it means: of this `list`,
// completion, docs/tables.md and the server's pages are made.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "table/table.h"

namespace rankscope::app {

// What a table is made of.
enum class Subject : std::uint8_t {
  kEvents,  // a view of SQL over the events of a job
  kJob,
  kPair,    // two jobs
  kMemory,  // memory snapshots, or a memory timeline
  kDumps,   // of Flight Recorders
};

struct TableOption {
  std::string name;
  std::string default_value;
  std::string doc;
};

struct TableDefinition {
  std::string name;
  std::string summary;     // one line
  std::string definition;  // words and formulas; "": the summary says it
  std::string example;     // a command line
  std::span<const ColumnSpec> columns;
  std::vector<TableOption> options;
  bool is_detail = false;  // its rows follow the events
};

struct TableGroup {
  std::string title;
  std::string about;  // a sentence or two of Markdown; may be ""
  Subject subject = Subject::kJob;
  bool is_compat = false;  // the tables of another tool, defects included
  std::vector<TableDefinition> tables;
};

// In the order in which people ask. They live as long as the program.
std::span<const TableGroup> TableGroups();

// kInvalidArgument with a sentence that names what may be meant. A view is found before
// a table of the same name.
Result<const TableDefinition*> FindDefinition(std::string_view name);
// Its group.
const TableGroup& GroupOf(const TableDefinition& table);

std::vector<std::string> TableNames(Subject subject);

}  // namespace rankscope::app
