#include "analysis/device/analyses.h"

#include <utility>

#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/device.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

std::vector<Table> MapOverlap(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<Overlap>();
  auto table = columns.NewPartial("overlap");
  for (const DeviceTime& device : facts.devices()) {
    const Windows windows = Windows::OfDevice(facts, device, options.steps);
    for (const Window& window : windows) {
      if (!window.HasExtent()) continue;
      const std::int64_t communication = window.TotalOf(device.communication);
      const std::int64_t copy = window.TotalOf(device.copy);
      const std::int64_t hidden = communication - window.TotalOf(device.exposed_communication);
      const std::int64_t copy_hidden = copy - window.TotalOf(device.exposed_copy);
      table.Add({columns.device = device.device, columns.step = window.StepValue(),
                 columns.duration_ns = window.Duration(),
                 columns.compute_ns = window.TotalOf(device.compute),
                 columns.communication_ns = communication, columns.copy_ns = copy,
                 columns.communication_hidden_ns = hidden,
                 columns.communication_hidden_pct = Percent(hidden, communication),
                 columns.copy_hidden_ns = copy_hidden,
                 columns.copy_hidden_pct = Percent(copy_hidden, copy),
                 columns.complete = window.complete});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& OverlapAnalysis() {
  static const Analysis kAnalysis = {
      .name = "overlap",
      .summary = "how much of communication and copying is hidden behind other work",
      .definition =
          "Communication is hidden while a kernel computes on the same device, a copy while a "
          "kernel computes or communicates; what is not hidden is exposed (time_breakdown). All "
          "times are of united intervals, clipped to the window: two collectives at once count "
          "once. communication_hidden_pct = 100 * |communication and compute| / |communication|.",
      .example = "rankscope table overlap traces/",
      .columns = SchemaOf<Overlap>().columns(),
      .mapper = {.name = "overlap",
                 .version = 2,
                 .tables = {SchemaOf<Overlap>().BareColumns()},
                 .map = MapOverlap},
      .reducer = JoinRows<Overlap>(SchemaOf<Overlap>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
