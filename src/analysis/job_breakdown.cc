#include "analysis/job_breakdown.h"

#include <algorithm>
#include <vector>

#include "analysis/breakdown_parts.h"
#include "analysis/statistics.h"
#include "analysis/step_times.h"
#include "analysis/time_breakdown.h"
#include "analysis/vocabulary.h"
#include "base/saturating.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("part", "compute, exposed_communication, exposed_copy, idle_..., unknown"),
      column::Int("duration_ns", "ns", "time of the part, over all devices of the job"),
      column::Real("share_pct", "%", "duration_ns of all parts"),
      column::Real("min_pct", "%", "smallest share of a device"),
      column::Real("median_pct", "%", "median share over devices"),
      column::Real("max_pct", "%", "largest share of a device"),
      column::Int("min_rank", "", "rank of the device with the smallest share"),
      column::Int("max_rank", "", "rank of the device with the largest share"),
  };
  return kColumns;
}

Result<Table> Derive(std::span<const Table* const> inputs, const JobContext&, const Options&) {
  Table table("job_breakdown", Columns());
  const auto devices = SumBreakdown(*inputs[0], *inputs[1]);
  if (devices.empty()) return table;
  DeviceSums all;
  for (const auto& [key, device] : devices) {
    AddSaturating(all.duration_ns, device.duration_ns);
    for (std::size_t i = 0; i < kBreakdownParts.size(); ++i)
      AddSaturating(all.parts[i], device.parts[i]);
  }
  for (std::size_t i = 0; i < kBreakdownParts.size(); ++i) {
    std::vector<std::pair<double, std::int64_t>> shares;  // share, rank
    shares.reserve(devices.size());
    for (const auto& [key, device] : devices) shares.emplace_back(device.SharePct(i), key.first);
    std::sort(shares.begin(), shares.end());
    std::vector<double> sorted;
    sorted.reserve(shares.size());
    for (const auto& [share, rank] : shares) sorted.push_back(share);
    const auto largest =
        std::lower_bound(shares.begin(), shares.end(), std::pair(sorted.back(), INT64_MIN));
    table.AddRow({kBreakdownParts[i].name, all.parts[i], all.SharePct(i), sorted.front(),
                  Quantile(std::span<const double>(sorted), 0.5), sorted.back(),
                  shares.front().second, largest->second});
  }
  return table;
}

}  // namespace

const Analysis& JobBreakdownAnalysis() {
  static const Analysis kAnalysis = {
      .name = "job_breakdown",
      .summary = "where the time of the whole job went",
      .definition =
          "rank_breakdown summed over all devices; the ten parts sum to the counted time of all of "
          "them. Shares of single devices show how far they lie apart.",
      .example = "rankscope table job_breakdown traces/",
      .columns = Columns(),
      .inputs = {&TimeBreakdownAnalysis(), &StepTimesAnalysis()},
      .derive = Derive,
  };
  return kAnalysis;
}

}  // namespace rankscope
