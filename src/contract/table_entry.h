// TableEntry: a table or view, declared by a subsystem: its meaning, its input, its columns and
// options. All code that lists tables (`list`, completion, docs/tables.md, the server's
// definitions) reads these entries and names no table itself.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contract/subject.h"
#include "table/table.h"

namespace rankscope {

struct TableOption {
  std::string name;
  std::string default_value;
  std::string doc;
};

struct TableEntry {
  std::string name;
  std::string summary;     // one line, without a full stop
  std::string definition;  // words and formulas: what a row is, how its numbers are computed
  std::string example;     // a command line that shows it
  Subject subject = Subject::kJob;
  std::span<const ColumnSpec> columns;  // of a schema, which lives as long as the program
  std::vector<TableOption> options = {};
  bool is_detail = false;  // it has a row per event
  bool is_compat = false;  // the table of another tool, including its defects
};

// Tables for questions of one kind.
struct TableTopic {
  std::string title;
  std::string about;  // a sentence or two of Markdown; may be ""
  std::vector<TableEntry> tables;
};

// Null if there is none of that name.
const TableEntry* FindEntry(std::span<const TableEntry> tables, std::string_view name);

}  // namespace rankscope
