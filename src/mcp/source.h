// Source: the job that is asked about, wherever it is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/listener.h"
#include "base/status.h"
#include "mcp/arguments.h"
#include "mcp/results.h"
#include "table/table.h"

namespace rankscope::mcp {

struct FoundRows {
  Table table;                  // those that were asked for
  std::uint64_t row_count = 0;  // without the limit
};

// Reads and never writes, but for the cache. For one thread. Errors are sentences for who asked.
class Source {
 public:
  virtual ~Source() = default;

  virtual Result<FindingsResult> Findings(app::Listener& listener) = 0;
  virtual Result<FoundRows> Rows(const TableArguments& arguments, app::Listener& listener) = 0;
  virtual Result<FoundRows> Query(const QueryArguments& arguments, app::Listener& listener) = 0;
  virtual Result<FoundRows> WhatIf(const WhatIfArguments& arguments, app::Listener& listener) = 0;
  virtual Result<DiffResult> Diff(const DiffArguments& arguments, app::Listener& listener) = 0;
  // In Markdown.
  virtual Result<std::string> Report(app::Listener& listener) = 0;
};

}  // namespace rankscope::mcp
