// Explains findings, verdicts and tables; needs no job.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "contract/table_entry.h"

namespace rankscope::mcp {

// Markdown: the page of a finding or a verdict, or a table's definition, columns and options. For
// "", one line per finding, verdict and table. kInvalidArgument, with suggestions, for an unknown
// id.
Result<std::string> Explained(std::string_view id);

// A table by name; kInvalidArgument, in words for tool callers, if it does not exist.
Result<const TableEntry*> TableOfName(std::string_view name);
// Explains a single table.
Result<std::string> TableExplained(std::string_view name);

}  // namespace rankscope::mcp
