// Where the GPU time goes: by owner, by class and bound, by kernel; which findings cost most, and
// what is unknown.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fleet/questions/fleet_sql.h"
#include "schemas/fleet_answers.h"

namespace rankscope::fleet {

// Dimensions by which answers can be divided: columns of fleet_run.
std::vector<std::string> DivisionNames();

enum class KernelOrder : std::uint8_t { kTime, kLaunches };

// `by` is one of DivisionNames.
Result<TableOf<FleetShares>> SharesBy(FleetSql& sql, std::string_view by);
Result<TableOf<FleetClasses>> CostByClass(FleetSql& sql);
// The first `top` kernels; percentiles are computed over all their durations, merged.
Result<TableOf<FleetKernels>> CostByKernel(FleetSql& sql, KernelOrder order, std::int64_t top);
// `by` is "" or one of DivisionNames.
Result<TableOf<FleetFindings>> CostByFinding(FleetSql& sql, std::string_view by);
// One row per item that some runs do not record.
Result<TableOf<FleetUnknown>> UnknownParts(FleetSql& sql);

}  // namespace rankscope::fleet
