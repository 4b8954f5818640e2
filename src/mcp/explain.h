// What findings, verdicts and tables mean: needs no job.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "contract/table_entry.h"

namespace rankscope::mcp {

// In Markdown: the page of a finding or a verdict, or a table's definition, columns and options. Of
// "" a line for each finding, verdict and table. kInvalidArgument, with what may be meant, for what
// is none of these.
Result<std::string> Explained(std::string_view id);

// A table by its name; kInvalidArgument, in words for who calls tools, where there is none.
Result<const TableEntry*> TableOfName(std::string_view name);
// A table alone.
Result<std::string> TableExplained(std::string_view name);

}  // namespace rankscope::mcp
