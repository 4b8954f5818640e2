// hta.trace_diff and hta.ops_diff: what Holistic Trace Analysis says of two traces.
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

// HTA's parameters. Without a rank or an iteration the first that there is.
struct HtaDiffOptions {
  std::optional<std::int64_t> control_rank;
  std::optional<std::int64_t> test_rank;
  std::optional<std::int64_t> control_iteration;
  std::optional<std::int64_t> test_iteration;
  std::string device_type = "ALL";  // or CPU, GPU
};

// The options of both tables, as they are declared.
std::vector<TableOption> HtaDiffTableOptions();

// By HTA's names; values as in notebooks ("DeviceType.CPU"). A usage error for any other.
Result<HtaDiffOptions> ParseHtaDiffOptions(
    const std::map<std::string, std::string, std::less<>>& by_name);

// TraceDiff.compare_traces and TraceDiff.ops_diff of two tables hta.ops_summary, by name. An error
// for a rank or an iteration that is not there.
Result<Table> HtaTraceDiffOf(const Table& control, const Table& test,
                             const HtaDiffOptions& options);
Table HtaOpsDiffOf(ViewOf<HtaTraceDiff> trace_diff);

}  // namespace rankscope
