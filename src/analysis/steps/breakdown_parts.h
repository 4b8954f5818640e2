// The parts that time_breakdown divides a device's time into, summed over counted windows.
#pragma once

#include <array>
#include <cstdint>
#include <map>

#include "schemas/steps.h"
#include "schemas/words.h"
#include "table/table_of.h"

namespace rankscope {

struct DeviceSums {
  std::int64_t windows = 0;
  std::int64_t duration_ns = 0;  // less what was not observed; the parts sum to it
  std::array<std::int64_t, kParts.size()> parts{};  // in the order of kParts

  double SharePct(std::size_t part) const {
    return 100.0 * static_cast<double>(parts[part]) / static_cast<double>(duration_ns);
  }
};

// By (rank, device); devices whose counted windows have no extent are left out.
std::map<std::pair<std::int64_t, std::int64_t>, DeviceSums> SumBreakdown(
    ViewOf<TimeBreakdown> time_breakdown, ViewOf<StepTimes> step_times);

}  // namespace rankscope
