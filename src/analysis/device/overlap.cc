#include "analysis/device/overlap.h"

#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "stage/reduce.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::Device(),
      column::StepOfWindow(),
      column::WindowLength(),
      column::Int("compute_ns", "ns", "time in which at least one computing kernel runs"),
      column::Int("communication_ns", "ns", "time in which at least one communication kernel runs"),
      column::Int("copy_ns", "ns", "time in which at least one copy or memset runs"),
      column::Int("communication_hidden_ns", "ns",
                  "part of communication_ns in which a kernel computes, too"),
      column::Real("communication_hidden_pct", "%",
                   "communication_hidden_ns of communication_ns; null without communication"),
      column::Int("copy_hidden_ns", "ns",
                  "part of copy_ns in which a kernel computes or communicates, too"),
      column::Real("copy_hidden_pct", "%", "copy_hidden_ns of copy_ns; null without copies"),
      column::Complete(),
  });
  return kColumns;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("overlap", column::OfMap(Columns()));
  const Windows windows(facts.trace(), options.steps);
  for (const DeviceTime& device : facts.devices()) {
    for (const Window& window : windows) {
      const std::int64_t communication = window.TotalOf(device.communication);
      const std::int64_t copy = window.TotalOf(device.copy);
      const std::int64_t hidden = communication - window.TotalOf(device.exposed_communication);
      const std::int64_t copy_hidden = copy - window.TotalOf(device.exposed_copy);
      table.AddRow({device.device, window.StepValue(), window.Duration(),
                    window.TotalOf(device.compute), communication, copy, hidden,
                    Percent(hidden, communication), copy_hidden, Percent(copy_hidden, copy),
                    window.complete});
    }
  }
  return {table};
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
      .columns = Columns(),
      .mapper = {.name = "overlap", .tables = {column::OfMap(Columns())}, .map = Map},
      .reducer = JoinRows(OverlapAnalysis, 4),
  };
  return kAnalysis;
}

}  // namespace rankscope
