#include "analysis/copies/memsets.h"

#include <map>

#include "analysis/copies/copy_sums.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "stage/reduce.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::Device(),
      column::StepOfWindow(),
      column::Int("count", "", "memsets that begin in the window"),
      column::Int("bytes", "bytes", "bytes set; null where none is stated"),
      column::Int("total_ns", "ns", "sum of their durations"),
      column::Int("busy_ns", "ns", "united time of the memsets"),
      column::Real("bandwidth_bytes_per_s", "bytes/s",
                   "bytes / total_ns of the memsets that state their bytes"),
      column::Complete(),
  });
  return kColumns;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("memsets", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  for (const DeviceTime& device : facts.devices()) {
    std::map<std::size_t, CopySum> sums;
    for (const Row row : device.work) {
      if (trace.kind[row] != EventKind::kMemset) continue;
      const std::size_t window = windows.At(trace.ts_ns[row]);
      if (window != Windows::kNone) sums[window].Add(trace, row);
    }
    for (auto& [window, sum] : sums) {
      table.AddRow({device.device, windows[window].StepValue(), sum.count(), sum.Bytes(),
                    sum.total_ns(), sum.BusyNs(), sum.BytesPerSecond(), windows[window].complete});
    }
  }
  return {table};
}

}  // namespace

const Analysis& MemsetsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "memsets",
      .summary = "memsets: bytes, time, bandwidth",
      .definition =
          "Memsets that begin in the window. The bandwidth is sum of bytes / sum of durations, in "
          "decimal bytes per second, over those that state their bytes.",
      .example = "rankscope table memsets traces/",
      .columns = Columns(),
      .mapper = {.name = "memsets", .tables = {column::OfMap(Columns())}, .map = Map},
      .reducer = JoinRows(MemsetsAnalysis, 4),
  };
  return kAnalysis;
}

}  // namespace rankscope
