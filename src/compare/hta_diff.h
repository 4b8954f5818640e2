// hta.trace_diff and hta.ops_diff: Holistic Trace Analysis' comparison of two traces.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "contract/table_entry.h"
#include "schemas/hta_diff.h"
#include "table/table.h"

namespace rankscope {

// HTA's parameters. The default rank and iteration are the first that exist.
struct HtaDiffOptions {
  std::optional<std::int64_t> control_rank;
  std::optional<std::int64_t> test_rank;
  std::optional<std::int64_t> control_iteration;
  std::optional<std::int64_t> test_iteration;
  std::string device_type = "ALL";  // or CPU, GPU
};

// The declarations of both tables' options.
std::vector<TableOption> HtaDiffTableOptions();

// Parses options with HTA's names; values as in notebooks ("DeviceType.CPU"). Others: usage error.
Result<HtaDiffOptions> ParseHtaDiffOptions(
    const std::map<std::string, std::string, std::less<>>& by_name);

// TraceDiff.compare_traces and TraceDiff.ops_diff for two tables hta.ops_summary, by name. An error
// if a rank or an iteration does not exist.
Result<Table> HtaTraceDiffOf(const Table& control, const Table& test,
                             const HtaDiffOptions& options);
Table HtaOpsDiffOf(ViewOf<HtaTraceDiff> trace_diff);

}  // namespace rankscope
