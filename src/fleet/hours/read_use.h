// What Prometheus answers to a range query, as use of devices.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "fleet/hours/use.h"

namespace rankscope::fleet {

enum class UseUnit : std::uint8_t {
  kByName,  // percent of DCGM_FI_DEV_..., ..._percent; ratio of DCGM_FI_PROF_..., ..._ratio
  kRatio,
  kPercent,
};

// The body of GET /api/v1/query_range: {"status": "success", "data": {"resultType": "matrix",
// "result": [{"metric": {labels}, "values": [[seconds, "value"], ...]}]}}. A series' node is what
// Hostname, node, kubernetes_node, host or instance (without its port) says; one without UUID, gpu
// or device is the mean of the node's devices. Values that are no numbers are passed over. kBadData
// names file and place: also for what no unit is known of, and for values beyond their unit.
Status ReadUse(const std::string& name, std::string_view text, UseUnit unit,
               std::vector<UseSeries>& series);

}  // namespace rankscope::fleet
