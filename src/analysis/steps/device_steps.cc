#include "analysis/steps/analyses.h"

#include <utility>
#include <vector>

#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "schemas/steps.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

std::vector<Table> MapDeviceSteps(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const auto& columns = SchemaOf<DeviceStepWindows>();
  auto table = columns.NewPartial("device_steps");
  for (const DeviceTime& device : facts.devices()) {
    std::vector<std::int64_t> works(trace.steps.size(), 0);
    for (const std::int32_t step : device.steps.step_of_work) {
      if (step >= 0 && static_cast<std::size_t>(step) < works.size())
        ++works[static_cast<std::size_t>(step)];
    }
    for (std::size_t i = 0; i < trace.steps.size(); ++i) {
      const DeviceSteps::Span& step = device.steps.steps[i];
      if (!Wants(options.steps, trace.steps[i].number) || step.window.end <= step.window.begin)
        continue;
      const Value lag = device.steps.follows_host
                            ? Value(kNull)
                            : Value(SaturatingSubtract(step.window.end, EndOfHostStep(trace, i)));
      table.Add({columns.device = device.device, columns.step = trace.steps[i].number,
                 columns.start_ns = SaturatingAdd(trace.meta.base_ns, step.window.begin),
                 columns.end_ns = SaturatingAdd(trace.meta.base_ns, step.window.end),
                 columns.lag_ns = lag, columns.works = works[i],
                 columns.inferred = trace.steps[i].inferred != 0,
                 columns.complete = step.complete});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& DeviceStepsAnalysis() {
  static const auto& columns = SchemaOf<DeviceStepWindows>();
  static const Analysis kAnalysis = {
      .name = "device_steps",
      .size = Size::kDetail,
      .summary = "the windows of every step on every device",
      .definition =
          "Step n of a device is [C(n-1), C(n)), C(n) = latest end of the kernels whose launching "
          "call begins before the host's step n ends (of copies only where a device has no "
          "kernels). Steps of which the device did nothing that took time of its own have no row. "
          "docs/accounting.md has the odd cases.",
      .example = "rankscope table device_steps traces/",
      .columns = columns.columns(),
      .mapper = {.name = "device_steps", .tables = {columns.BareColumns()}, .map = MapDeviceSteps},
      .reducer = JoinRows<DeviceStepWindows>(columns.device, {columns.start_ns, columns.end_ns}),
  };
  return kAnalysis;
}

}  // namespace rankscope
