#include "analysis/steps/step_times.h"

#include <algorithm>

#include "base/median.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "schemas/steps.h"
#include "stage/reducer.h"

namespace rankscope {
namespace {

struct StepPartial : Schema {
  IntColumn step = Int("step");
  IntColumn start_ns = Int("start_ns", "ns", "since the epoch, by the rank's own clock");
  IntColumn duration_ns = Int("duration_ns", "ns");
  IntColumn device_work = Int("device_work");
  IntColumn launched_work = Int("launched_work");
  FlagColumn inferred = Flag("inferred");
  FlagColumn complete = Flag("complete");
};

std::vector<Table> Map(const RankTrace& trace, const MapOptions& options) {
  const auto& columns = SchemaOf<StepPartial>();
  Table table = columns.NewPartial("step_times");
  std::vector<std::int64_t> begun(trace.steps.size(), 0);
  std::vector<std::int64_t> launched(trace.steps.size(), 0);
  const auto count = [&](std::vector<std::int64_t>& counts, std::int64_t t) {
    if (const int step = trace.StepAt(t); step >= 0) ++counts[static_cast<std::size_t>(step)];
  };
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (!IsDeviceWork(trace.kind[row])) continue;
      count(begun, trace.ts_ns[row]);
      if (trace.link[row] != kNoRow) count(launched, trace.ts_ns[trace.link[row]]);
    }
  }
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    if (!Wants(options.steps, step.number)) continue;
    table.Add({columns.step = step.number, columns.start_ns = trace.meta.base_ns + step.begin_ns,
               columns.duration_ns = step.end_ns - step.begin_ns, columns.device_work = begun[i],
               columns.launched_work = launched[i], columns.inferred = step.inferred != 0,
               columns.complete = step.complete != 0});
  }
  return {table};
}

struct State {
  explicit State(const Options&) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    steps.Keep(capture, std::move(tables.front()));
    return OkStatus();
  }
  void Merge(State&& other) { steps.Merge(std::move(other.steps)); }

  Result<Table> Finish(const JobContext& job) {
    const auto& partial = SchemaOf<StepPartial>();
    std::vector<double> durations;
    for (const auto& [of, rows] : steps.values()) {
      for (std::size_t row = 0; row < rows.row_count(); ++row) {
        if (rows.Bool(row, partial.complete))
          durations.push_back(static_cast<double>(rows.Int(row, partial.duration_ns)));
      }
    }
    const double median = MedianOf(durations);
    const auto& columns = SchemaOf<StepTimes>();
    Table table = columns.NewTable("step_times");
    for (const auto& [of, rows] : steps.values()) {
      for (std::size_t row = 0; row < rows.row_count(); ++row) {
        const std::int64_t duration = rows.Int(row, partial.duration_ns);
        const bool complete = rows.Bool(row, partial.complete);
        Value difference = kNull;
        if (median > 0 && complete)
          difference = 100 * (static_cast<double>(duration) - median) / median;
        table.Add(
            {columns.rank = of.first, columns.capture = of.second,
             columns.step = rows.Int(row, partial.step),
             columns.start_ns = SaturatingSubtract(rows.Int(row, partial.start_ns), job.origin_ns),
             columns.duration_ns = duration, columns.vs_median_pct = difference,
             columns.device_work = rows.Int(row, partial.device_work),
             columns.launched_work = rows.Int(row, partial.launched_work),
             columns.inferred = rows.Bool(row, partial.inferred), columns.complete = complete});
      }
    }
    table.SortBy({{columns.rank.index()}, {columns.capture.index()}, {columns.start_ns.index()}});
    return table;
  }

  PerCapture<Table> steps;
};

}  // namespace

const Analysis& StepTimesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "step_times",
      .summary = "how long every step took on every rank",
      .definition =
          "A step is the window [begin of ProfilerStep n, begin of ProfilerStep n+1); the last one "
          "ends at the later of its mark's end and the end of the last device work launched inside "
          "it. Without marks, steps are inferred from the period of the thread that launches most "
          "work, and marked. vs_median_pct = 100 * (duration / median - 1), the median over all "
          "complete steps of all ranks.",
      .example = "rankscope table step_times traces/",
      .columns = SchemaOf<StepTimes>().columns(),
      .mapper = {.name = "step_times",
                 .tables = {SchemaOf<StepPartial>().BareColumns()},
                 .map = Map},
      .reducer = ReduceBy<State>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
