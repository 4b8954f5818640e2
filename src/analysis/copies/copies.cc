#include "analysis/copies/analyses.h"

#include <map>
#include <tuple>
#include <utility>

#include "analysis/copies/copy_direction.h"
#include "analysis/copies/copy_sums.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/copies.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

std::vector<Table> MapCopies(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<Copies>();
  auto table = columns.NewPartial("copies");
  const RankTrace& trace = facts.trace();
  for (const DeviceTime& device : facts.recorded_devices()) {
    const Windows windows = Windows::OfDevice(facts, device, options.steps);
    std::map<std::tuple<std::size_t, std::string_view, std::string_view>, CopySum> sums;
    for (const Row row : device.work) {
      if (trace.kind[row] != EventKind::kMemcpy) continue;
      const std::size_t window = windows.OfWork(row);
      if (window == Windows::kNone) continue;
      const auto [direction, memory] = DirectionOf(trace.name_of(row));
      sums[{window, direction, memory}].Add(trace, row);
    }
    for (auto& [key, sum] : sums) {
      const auto& [window, direction, memory] = key;
      table.Add({columns.device = device.device, columns.step = windows[window].StepValue(),
                 columns.direction = direction,
                 columns.memory = memory.empty() ? Value(kNull) : Value(memory),
                 columns.count = sum.count(), columns.bytes = sum.Bytes(),
                 columns.total_ns = sum.total_ns(), columns.busy_ns = sum.BusyNs(),
                 columns.bandwidth_bytes_per_s = sum.BytesPerSecond(),
                 columns.complete = windows[window].complete});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& CopiesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "copies",
      .summary = "copies by direction and kind of memory: bytes, time, bandwidth",
      .definition =
          "Copies launched in the step, by what their name says. The bandwidth is that of the "
          "copies while they run: sum of bytes / sum of durations, in decimal bytes per second; "
          "copies that do not state their bytes are left out of it.",
      .example = "rankscope table copies traces/",
      .columns = SchemaOf<Copies>().columns(),
      .mapper = {.name = "copies",
                 .version = 2,
                 .tables = {SchemaOf<Copies>().BareColumns()},
                 .map = MapCopies},
      .reducer = JoinRows<Copies>(SchemaOf<Copies>().memory),
  };
  return kAnalysis;
}

}  // namespace rankscope
