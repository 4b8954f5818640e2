// Answers of a server (docs/server.md) as answers to a model. kBadData for what is no such JSON.
#pragma once

#include <string_view>

#include "base/status.h"
#include "json/reader.h"
#include "mcp/results.h"

namespace rankscope::mcp {

// Of rankscope.report/1.
Result<FindingsResult> FindingsOf(const json::Value& report);
// Of rankscope.diff/1; `base` and `test` are what the runs are called.
Result<DiffResult> DiffOf(const json::Value& diff);

}  // namespace rankscope::mcp
