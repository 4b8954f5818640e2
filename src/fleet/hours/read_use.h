// Reads Prometheus' answer to a range query as utilisation of devices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fleet/hours/use.h"

namespace rankscope::fleet {

enum class UseUnit : std::uint8_t {
  kByName,  // percent for DCGM_FI_DEV_..., ..._percent; ratio for DCGM_FI_PROF_..., ..._ratio
  kRatio,
  kPercent,
};

// The body of GET /api/v1/query_range: {"status": "success", "data": {"resultType": "matrix",
// "result": [{"metric": {labels}, "values": [[seconds, "value"], ...]}]}}. The node of a series is
// its label Hostname, node, kubernetes_node, host or instance (without port). A series without
// UUID, gpu or device is the mean over the node's devices. Skips values that are not numbers.
// kBadData with file and place, also for an unknown unit and for values outside their unit's range.
Status ReadUse(const std::string& name, std::string_view text, UseUnit unit,
               std::vector<UseSeries>& series);

}  // namespace rankscope::fleet
