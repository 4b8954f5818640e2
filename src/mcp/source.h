// Source: the job that is asked about, wherever it is.
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "mcp/arguments.h"
#include "mcp/results.h"

namespace rankscope::mcp {

// Reads and never writes, but for the cache. For one thread. Errors are sentences for who asked.
class Source {
 public:
  virtual ~Source() = default;

  virtual Result<FindingsResult> Findings(app::Listener& listener) = 0;
  virtual Result<RowsResult> Rows(const TableArguments& arguments, app::Listener& listener) = 0;
  virtual Result<RowsResult> Query(const QueryArguments& arguments, app::Listener& listener) = 0;
  virtual Result<RowsResult> WhatIf(const WhatIfArguments& arguments, app::Listener& listener) = 0;
  virtual Result<DiffResult> Diff(const DiffArguments& arguments, app::Listener& listener) = 0;
  // Of code on this machine; nothing is applied.
  virtual Result<FixResult> Fix(const FixArguments& arguments, app::Listener& listener) = 0;
  // In Markdown.
  virtual Result<std::string> Report(app::Listener& listener) = 0;
};

}  // namespace rankscope::mcp
