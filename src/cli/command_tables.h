// The tables that commands of their own make, beside those of `rankscope table`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace rankscope::cli {

struct CommandTable {
  std::string_view name;
  std::string_view summary;  // one line
  std::span<const ColumnSpec> columns;
  std::string example;  // a command that shows it
};

struct CommandTables {
  std::string_view title;
  std::string_view about;  // a sentence or two of Markdown
  std::vector<CommandTable> tables;
};

// By command, in the order of the list.
std::span<const CommandTables> TablesOfCommands();

// Null when there is none of that name.
const CommandTable* FindCommandTable(std::string_view name);

}  // namespace rankscope::cli
