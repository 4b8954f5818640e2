// Converts answers of a server (docs/server.md) to answers for a model. kBadData for other JSON.
#pragma once

#include <string_view>

#include "base/status.h"
#include "json/reader.h"
#include "mcp/results.h"

namespace rankscope::mcp {

// From rankscope.report/1.
Result<FindingsResult> FindingsOf(const json::Value& report);
// From rankscope.diff/1; `base` and `test` are the names of the runs.
Result<DiffResult> DiffOf(const json::Value& diff);

}  // namespace rankscope::mcp
