#include "analysis/copies/copies.h"

#include <map>
#include <tuple>

#include "analysis/copies/copy_direction.h"
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
      column::Text("direction", "HtoD, DtoH, DtoD, PtoP, ... as the name says, or unknown"),
      column::Text("memory",
                   "kinds of memory, \"Pageable -> Device\"; null when the name does not say"),
      column::Int("count", "", "copies that begin in the window"),
      column::Int("bytes", "bytes", "bytes copied; null where none is stated"),
      column::Int("total_ns", "ns", "sum of their durations"),
      column::Int("busy_ns", "ns", "united time of the copies"),
      column::Real("bandwidth_bytes_per_s", "bytes/s",
                   "bytes / total_ns of the copies that state their bytes"),
      column::Complete(),
  });
  return kColumns;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("copies", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  for (const DeviceTime& device : facts.devices()) {
    std::map<std::tuple<std::size_t, std::string_view, std::string_view>, CopySum> sums;
    for (const Row row : device.work) {
      if (trace.kind[row] != EventKind::kMemcpy) continue;
      const std::size_t window = windows.At(trace.ts_ns[row]);
      if (window == Windows::kNone) continue;
      const auto [direction, memory] = DirectionOf(trace.name_of(row));
      sums[{window, direction, memory}].Add(trace, row);
    }
    for (auto& [key, sum] : sums) {
      const auto& [window, direction, memory] = key;
      table.AddRow({device.device, windows[window].StepValue(), direction,
                    memory.empty() ? Value(kNull) : Value(memory), sum.count(), sum.Bytes(),
                    sum.total_ns(), sum.BusyNs(), sum.BytesPerSecond(), windows[window].complete});
    }
  }
  return {table};
}

}  // namespace

const Analysis& CopiesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "copies",
      .summary = "copies by direction and kind of memory: bytes, time, bandwidth",
      .definition =
          "Copies that begin in the window, by what their name says. The bandwidth is that of the "
          "copies while they run: sum of bytes / sum of durations, in decimal bytes per second; "
          "copies that do not state their bytes are left out of it.",
      .example = "rankscope table copies traces/",
      .columns = Columns(),
      .mapper = {.name = "copies", .tables = {column::OfMap(Columns())}, .map = Map},
      .reducer = JoinRows(CopiesAnalysis, 6),
  };
  return kAnalysis;
}

}  // namespace rankscope
