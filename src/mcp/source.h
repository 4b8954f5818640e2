// Source: the job that questions are about, local or on a server.
#pragma once

#include <string>

#include "app/listener.h"
#include "base/status.h"
#include "mcp/arguments.h"
#include "mcp/results.h"

namespace rankscope::mcp {

// Only reads, and writes nothing but the cache. Not thread-safe. Errors are sentences for the
// client.
class Source {
 public:
  virtual ~Source() = default;

  virtual Result<FindingsResult> Findings(app::Listener& listener) = 0;
  virtual Result<RowsResult> Rows(const TableArguments& arguments, app::Listener& listener) = 0;
  virtual Result<RowsResult> Query(const QueryArguments& arguments, app::Listener& listener) = 0;
  virtual Result<RowsResult> WhatIf(const WhatIfArguments& arguments, app::Listener& listener) = 0;
  virtual Result<DiffResult> Diff(const DiffArguments& arguments, app::Listener& listener) = 0;
  // For code on this machine; applies nothing.
  virtual Result<FixResult> Fix(const FixArguments& arguments, app::Listener& listener) = 0;
  // In Markdown.
  virtual Result<std::string> Report(app::Listener& listener) = 0;
};

}  // namespace rankscope::mcp
