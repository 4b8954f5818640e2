#include "analysis/steps/breakdown_parts.h"

#include "analysis/steps/counted_windows.h"
#include "base/saturating.h"

namespace rankscope {

std::map<std::pair<std::int64_t, std::int64_t>, DeviceSums> SumBreakdown(
    const Table& time_breakdown, const Table& step_times) {
  const CountedWindows counted(step_times);
  const auto column = [&](std::string_view name) { return *time_breakdown.Find(name); };
  std::array<std::size_t, kBreakdownParts.size()> columns{};
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = column(kBreakdownParts[i].column);
  std::map<std::pair<std::int64_t, std::int64_t>, DeviceSums> sums;
  for (std::size_t row = 0; row < time_breakdown.row_count(); ++row) {
    if (!counted.Counts(time_breakdown, row)) continue;
    DeviceSums& device =
        sums[{time_breakdown.Int(row, column("rank")), time_breakdown.Int(row, column("device"))}];
    ++device.windows;
    AddSaturating(device.duration_ns, time_breakdown.Int(row, column("duration_ns")));
    for (std::size_t i = 0; i < columns.size(); ++i)
      AddSaturating(device.parts[i], time_breakdown.Int(row, columns[i]));
  }
  std::erase_if(sums, [](const auto& entry) { return entry.second.duration_ns == 0; });
  return sums;
}

}  // namespace rankscope
