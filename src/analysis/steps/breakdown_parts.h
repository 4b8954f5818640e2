// The parts that time_breakdown divides a device's time into, summed over counted windows.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "table/table.h"

namespace rankscope {

struct BreakdownPart {
  std::string_view column;  // of time_breakdown
  std::string_view name;
};
inline constexpr std::array<BreakdownPart, 10> kBreakdownParts = {{
    {"compute_ns", "compute"},
    {"exposed_communication_ns", "exposed_communication"},
    {"exposed_copy_ns", "exposed_copy"},
    {"idle_host_ns", "idle_host"},
    {"idle_data_ns", "idle_data"},
    {"idle_sync_ns", "idle_sync"},
    {"idle_launch_ns", "idle_launch"},
    {"idle_gap_ns", "idle_gap"},
    {"idle_stream_ns", "idle_stream"},
    {"unknown_ns", "unknown"},
}};

struct DeviceSums {
  std::int64_t windows = 0;
  std::int64_t duration_ns = 0;  // the parts sum to it
  std::array<std::int64_t, kBreakdownParts.size()> parts{};

  double SharePct(std::size_t part) const {
    return 100.0 * static_cast<double>(parts[part]) / static_cast<double>(duration_ns);
  }
};

// By (rank, device); devices whose counted windows have no extent are left out.
std::map<std::pair<std::int64_t, std::int64_t>, DeviceSums> SumBreakdown(
    const Table& time_breakdown, const Table& step_times);

}  // namespace rankscope
