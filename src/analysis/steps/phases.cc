#include "analysis/steps/analyses.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/saturating.h"
#include "facts/places/phase_times.h"
#include "facts/windows.h"
#include "schemas/steps.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

// Of device work, by where it was launched: the number of its window times kPhaseCount plus that of
// the phase.
struct LaunchedInPhase {
  std::size_t place = 0;
  std::int64_t works = 0;
  std::int64_t device_ns = 0;  // united on each device
};

std::size_t PhaseAt(const std::array<IntervalSet, kPhaseCount>& phases, std::int64_t t) {
  for (std::size_t i = 0; i < kPhaseCount; ++i) {
    const auto part = std::partition_point(phases[i].begin(), phases[i].end(),
                                           [&](const Interval& span) { return span.end <= t; });
    if (part != phases[i].end() && part->begin <= t) return i;
  }
  return static_cast<std::size_t>(HostPhase::kOther);
}

// By place, each once; places without work have none.
std::vector<LaunchedInPhase> LaunchedIn(const TraceFacts& facts, const Windows& windows,
                                        const std::array<IntervalSet, kPhaseCount>& phases) {
  const RankTrace& trace = facts.trace();
  std::vector<LaunchedInPhase> launched;  // of each device apart
  for (const DeviceTime& device : facts.devices()) {
    std::vector<std::pair<std::size_t, Interval>> work;
    for (const Row row : device.work) {
      if (trace.link[row] == kNoRow) continue;
      const std::int64_t t = trace.ts_ns[trace.link[row]];
      const std::size_t window = windows.At(t);
      if (window == Windows::kNone) continue;
      work.push_back(
          {window * kPhaseCount + PhaseAt(phases, t), {trace.ts_ns[row], trace.end_ns(row)}});
    }
    std::stable_sort(work.begin(), work.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Interval> intervals;
    for (std::size_t i = 0; i < work.size();) {
      intervals.clear();
      const std::size_t place = work[i].first;
      for (; i < work.size() && work[i].first == place; ++i) intervals.push_back(work[i].second);
      const auto works = static_cast<std::int64_t>(intervals.size());
      launched.push_back({place, works, Total(Normalise(intervals))});
    }
  }
  std::stable_sort(
      launched.begin(), launched.end(),
      [](const LaunchedInPhase& a, const LaunchedInPhase& b) { return a.place < b.place; });
  std::vector<LaunchedInPhase> sums;
  for (const LaunchedInPhase& of_device : launched) {
    if (sums.empty() || sums.back().place != of_device.place) {
      sums.push_back(of_device);
    } else {
      sums.back().works += of_device.works;
      AddSaturating(sums.back().device_ns, of_device.device_ns);
    }
  }
  return sums;
}

std::vector<Table> MapPhases(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<Phases>();
  auto table = columns.NewPartial("phases");
  const Windows windows = Windows::OfHost(facts, options.steps);
  const auto phases = PhaseTimes(facts, windows);
  const std::vector<LaunchedInPhase> launched = LaunchedIn(facts, windows, phases);
  auto next = launched.begin();
  for (std::size_t w = 0; w < windows.size(); ++w) {
    const Window& window = windows[w];
    const std::int64_t duration = window.Duration();
    if (duration <= 0) continue;
    for (std::size_t i = 0; i < kPhaseCount; ++i) {
      const std::int64_t time = window.TotalOf(phases[i]);
      while (next != launched.end() && next->place < w * kPhaseCount + i) ++next;
      const bool any = next != launched.end() && next->place == w * kPhaseCount + i;
      table.Add({columns.step = window.StepValue(),
                 columns.phase = ToString(static_cast<HostPhase>(i)), columns.duration_ns = time,
                 columns.share_pct = Percent(time, duration), columns.works = any ? next->works : 0,
                 columns.device_ns = any ? next->device_ns : 0,
                 columns.complete = window.complete});
    }
  }
  return MoveTables(std::move(table));
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
                 .map = MapPhases},
      .reducer = JoinRows<Phases>(SchemaOf<Phases>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
