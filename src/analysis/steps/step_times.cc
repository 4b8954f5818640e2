#include "analysis/steps/analyses.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/median.h"
#include "base/saturating.h"
#include "facts/trace_facts.h"
#include "schemas/steps.h"
#include "stage/reducer.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

struct StepPartial : Schema<StepPartial> {
  IntColumn step = Int("step");
  IntColumn start_ns = Int("start_ns", "ns", "since the epoch, by the rank's own clock");
  IntColumn duration_ns = Int("duration_ns", "ns");
  IntColumn host_duration_ns = Int("host_duration_ns", "ns");
  IntColumn lag_ns = Int("lag_ns", "ns");
  IntColumn device_work = Int("device_work");
  IntColumn launched_work = Int("launched_work");
  FlagColumn inferred = Flag("inferred");
  FlagColumn complete = Flag("complete");
  StringColumn marked_by = Text("marked_by");
  StringColumn phase = Text("phase");
};

struct WorkCounts {
  std::vector<std::int64_t> begun, launched;
};

WorkCounts CountWork(const TraceFacts& facts) {
  const RankTrace& trace = facts.trace();
  const std::vector<DeviceSteps::Span>& steps = facts.rank_steps().steps;
  WorkCounts counts;
  counts.begun.assign(steps.size(), 0);
  counts.launched.assign(steps.size(), 0);
  for (const DeviceTime& device : facts.devices()) {
    for (const Row row : device.work) {
      const std::int32_t launched = facts.launch_steps()[row];
      if (launched >= 0 && static_cast<std::size_t>(launched) < steps.size())
        ++counts.launched[static_cast<std::size_t>(launched)];
      const auto next = std::partition_point(
          steps.begin(), steps.end(),
          [&](const DeviceSteps::Span& step) { return step.window.end <= trace.ts_ns[row]; });
      if (next != steps.end() && next->window.begin <= trace.ts_ns[row])
        ++counts.begun[static_cast<std::size_t>(next - steps.begin())];
    }
  }
  return counts;
}

std::vector<Table> MapStepTimes(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const DeviceSteps& steps = facts.rank_steps();
  const WorkCounts counts = CountWork(facts);
  const auto& columns = SchemaOf<StepPartial>();
  auto table = columns.NewPartial("step_times");
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const Step& step = trace.steps[i];
    const Interval window = steps.steps[i].window;
    if (!Wants(options.steps, step.number)) continue;
    const bool has_window = steps.follows_host || window.end > window.begin;
    const auto known = [&](std::int64_t value) { return has_window ? Value(value) : Value(kNull); };
    table.Add({columns.step = step.number,
               columns.start_ns = known(SaturatingAdd(trace.meta.base_ns, window.begin)),
               columns.duration_ns = known(SaturatingSubtract(window.end, window.begin)),
               columns.host_duration_ns = step.end_ns - step.begin_ns,
               columns.lag_ns = steps.follows_host ? Value(kNull)
                                                   : known(SaturatingSubtract(
                                                         window.end, EndOfHostStep(trace, i))),
               columns.device_work = counts.begun[i], columns.launched_work = counts.launched[i],
               columns.inferred = step.inferred != 0, columns.complete = steps.steps[i].complete,
               columns.marked_by = ToString(step.source),
               columns.phase =
                   step.phase == StepPhase::kNone ? Value(kNull) : Value(ToString(step.phase))});
  }
  return MoveTables(std::move(table));
}

struct StepTimesState {
  explicit StepTimesState(const Options&) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    steps.Keep(capture, TableOf<StepPartial>(std::move(tables.front())));
    return OkStatus();
  }
  void Merge(StepTimesState&& other) { steps.Merge(std::move(other.steps)); }

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
    auto table = columns.NewTable("step_times");
    for (const auto& [of, rows] : steps.values()) {
      for (std::size_t row = 0; row < rows.row_count(); ++row) {
        const std::optional<std::int64_t> start = rows.Known(row, partial.start_ns);
        const std::optional<std::int64_t> duration = rows.Known(row, partial.duration_ns);
        const bool complete = rows.Bool(row, partial.complete);
        Value difference = kNull;
        if (median > 0 && complete)
          difference = 100 * (static_cast<double>(*duration) - median) / median;
        table.Add(
            {columns.rank = of.first, columns.capture = of.second,
             columns.step = rows.Int(row, partial.step),
             columns.start_ns = start ? Value(SaturatingSubtract(*start, job.origin_ns)) : kNull,
             columns.duration_ns = duration, columns.vs_median_pct = difference,
             columns.host_duration_ns = rows.Int(row, partial.host_duration_ns),
             columns.lag_ns = rows.Known(row, partial.lag_ns),
             columns.device_work = rows.Int(row, partial.device_work),
             columns.launched_work = rows.Int(row, partial.launched_work),
             columns.inferred = rows.Bool(row, partial.inferred), columns.complete = complete,
             columns.marked_by = rows.String(row, partial.marked_by),
             columns.phase = rows.At(row, partial.phase)});
      }
    }
    return table;
  }

  PerCapture<TableOf<StepPartial>> steps;
};

}  // namespace

const Analysis& StepTimesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "step_times",
      .summary = "how long every step took on every rank",
      .definition =
          "A rank's step ends when its latest device has finished the kernels that the host "
          "launched before its own step ended, and begins where the one before it ended; the first "
          "begins with its mark, or when the work before it is done. So a host that runs ahead of "
          "its device moves no work into other steps. The host's step n is [begin of ProfilerStep "
          "n, begin of ProfilerStep n+1); the last ends at the later of its mark's end and the end "
          "of the device work launched inside it. Without such marks those of an inference engine "
          "begin steps, then numbered annotations of the program, PyTorch's hooks of optimizers "
          "and data loaders, and last the period of the thread or stream that launches or does "
          "most device work; marked_by says which. A rank without device work has the "
          "host's steps. vs_median_pct = 100 * (duration / median - 1), the median over all "
          "complete steps of all ranks. A first step before which the recording had not begun, or "
          "while whose work the queue filled, counts only if there is no other. Odd cases: "
          "docs/accounting.md.",
      .example = "rankscope table step_times traces/",
      .columns = SchemaOf<StepTimes>().columns(),
      .mapper = {.name = "step_times",
                 .version = 3,
                 .tables = {SchemaOf<StepPartial>().BareColumns()},
                 .map = MapStepTimes},
      .reducer = ReduceBy<StepTimesState>(),
  };
  return kAnalysis;
}

}  // namespace rankscope
