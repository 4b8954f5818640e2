#include "analysis/copies/analyses.h"

#include <map>
#include <utility>

#include "analysis/copies/copy_sums.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/copies.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

std::vector<Table> MapMemsets(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<Memsets>();
  auto table = columns.NewPartial("memsets");
  const RankTrace& trace = facts.trace();
  for (const DeviceTime& device : facts.recorded_devices()) {
    const Windows windows = Windows::OfDevice(facts, device, options.steps);
    std::map<std::size_t, CopySum> sums;
    for (const Row row : device.work) {
      if (trace.kind[row] != EventKind::kMemset) continue;
      const std::size_t window = windows.OfWork(row);
      if (window != Windows::kNone) sums[window].Add(trace, row);
    }
    for (auto& [window, sum] : sums) {
      table.Add({columns.device = device.device, columns.step = windows[window].StepValue(),
                 columns.count = sum.count(), columns.bytes = sum.Bytes(),
                 columns.total_ns = sum.total_ns(), columns.busy_ns = sum.BusyNs(),
                 columns.bandwidth_bytes_per_s = sum.BytesPerSecond(),
                 columns.complete = windows[window].complete});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& MemsetsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "memsets",
      .summary = "memsets: bytes, time, bandwidth",
      .definition =
          "Memsets launched in the step. The bandwidth is sum of bytes / sum of durations, in "
          "decimal bytes per second, over those that state their bytes.",
      .example = "rankscope table memsets traces/",
      .columns = SchemaOf<Memsets>().columns(),
      .mapper = {.name = "memsets",
                 .version = 2,
                 .tables = {SchemaOf<Memsets>().BareColumns()},
                 .map = MapMemsets},
      .reducer = JoinRows<Memsets>(SchemaOf<Memsets>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
