#include "analysis/steps/phases.h"

#include <algorithm>
#include <map>

#include "analysis/steps/phase_times.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "schemas/steps.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

struct Launched {
  std::int64_t works = 0;
  std::map<std::int64_t, std::vector<Interval>> by_device;
};

std::size_t PhaseAt(const std::array<IntervalSet, kPhaseCount>& phases, std::int64_t t) {
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    const auto part = std::partition_point(phases[i].begin(), phases[i].end(),
                                           [&](const Interval& span) { return span.end <= t; });
    if (part != phases[i].end() && part->begin <= t) return i;
  }
  return static_cast<std::size_t>(Phase::kOther);
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<Phases>();
  Table table = columns.NewPartial("phases");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  const auto phases = PhaseTimes(facts, windows);
  std::vector<std::array<Launched, kPhaseCount>> launched(windows.size());
  for (const DeviceTime& device : facts.devices()) {
    for (const Row row : device.work) {
      if (trace.link[row] == kNoRow) continue;
      const std::int64_t t = trace.ts_ns[trace.link[row]];
      const std::size_t window = windows.At(t);
      if (window == Windows::kNone) continue;
      Launched& of_phase = launched[window][PhaseAt(phases, t)];
      ++of_phase.works;
      of_phase.by_device[device.device].push_back({trace.ts_ns[row], trace.end_ns(row)});
    }
  }
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const Window& window = windows[w];
    const std::int64_t duration = window.Duration();
    if (duration <= 0) continue;
    for (std::size_t i = 0; i < kPhaseCount; ++i) {
      const std::int64_t time = window.TotalOf(phases[i]);
      std::int64_t device_ns = 0;
      for (auto& [device, intervals] : launched[w][i].by_device)
        AddSaturating(device_ns, Total(Normalise(std::move(intervals))));
      table.Add({columns.step = window.StepValue(), columns.phase = ToString(static_cast<Phase>(i)),
                 columns.duration_ns = time, columns.share_pct = Percent(time, duration),
                 columns.works = launched[w][i].works, columns.device_ns = device_ns,
                 columns.complete = window.complete});
    }
  }
  return {table};
}

}  // namespace

const Analysis& PhasesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "phases",
      .summary = "data loading, forward, backward and optimizer, on the host and on the device",
      .definition =
          "The host's wall-clock time of every window, divided without remainder by what any of "
          "its threads shows, in this order: data loading (ranges of a data loader); backward (the "
          "autograd engine's ops and nodes, annotations named after backward alone, "
          "Tensor.backward's frames; pauses of up to 1 ms in which the main thread begins no op "
          "are part of it); optimizer (Optimizer.step and .zero_grad, annotations named after "
          "optimizer, torch.optim's frames); forward (annotations named after forward, nn.Module "
          "frames; in a step without any, from the main thread's first op to the begin of "
          "backward, or to its last op where there is none); other. The main thread is the one "
          "with the steps' marks, else the one with most ops. Device work belongs to the phase in "
          "which its launching call begins.",
      .example = "rankscope table phases traces/",
      .columns = SchemaOf<Phases>().columns(),
      .mapper = {.name = "phases",
                 .version = 3,
                 .tables = {SchemaOf<Phases>().BareColumns()},
                 .map = Map},
      .reducer = JoinRows<Phases>(SchemaOf<Phases>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
