#include "analysis/steps/breakdown_parts.h"

#include "analysis/steps/counted_windows.h"
#include "base/saturating.h"

namespace rankscope {

std::map<std::pair<std::int64_t, std::int64_t>, DeviceSums> SumBreakdown(
    ViewOf<TimeBreakdown> time_breakdown, ViewOf<StepTimes> step_times) {
  const CountedWindows counted(step_times);
  const auto& columns = SchemaOf<TimeBreakdown>();
  const auto parts = columns.PartColumns();
  std::map<std::pair<std::int64_t, std::int64_t>, DeviceSums> sums;
  for (std::size_t row = 0; row < time_breakdown.row_count(); ++row) {
    if (!counted.Counts(time_breakdown, row, WindowColumnsOf(columns))) continue;
    DeviceSums& device =
        sums[{time_breakdown.Int(row, columns.rank), time_breakdown.Int(row, columns.device)}];
    ++device.windows;
    AddSaturating(device.duration_ns,
                  SaturatingSubtract(time_breakdown.Int(row, columns.duration_ns),
                                     time_breakdown.Int(row, columns.not_observed_ns)));
    for (std::size_t i = 0; i < parts.size(); ++i)
      AddSaturating(device.parts[i], time_breakdown.Int(row, parts[i]));
  }
  std::erase_if(sums, [](const auto& entry) { return entry.second.duration_ns == 0; });
  return sums;
}

}  // namespace rankscope
