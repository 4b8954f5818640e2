// pipeline, pipeline_steps, pipeline_schedule, pipeline_passes: the stages of a pipeline, their
// bubble and their passes.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/across/across_fact.h"
#include "analysis/layout/analyses.h"
#include "analysis/layout/pipeline.h"
#include "analysis/layout/pipeline_passes.h"
#include "base/saturating.h"
#include "facts/windows.h"
#include "schemas/layout.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

std::vector<Table> MapPipelineAnalyses(const TraceFacts& facts, const MapOptions& options) {
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  const auto& columns = SchemaOf<PassPartial>();
  auto table = columns.NewPartial("passes");
  const bool has_lanes = facts.devices().empty();
  for (const PipelinePass& pass : FindPipelinePasses(facts, windows)) {
    const Window& window = windows[pass.window];
    table.Add({columns.step = window.StepValue(), columns.complete = window.complete,
               columns.lane = has_lanes ? pass.lane : -1, columns.is_backward = pass.is_backward,
               columns.cut_by = pass.cut_by == kEmptyString ? Value(kNull)
                                                            : Value(trace.strings.Get(pass.cut_by)),
               columns.is_cut_by_others = pass.is_cut_by_others,
               columns.begin_ns = trace.meta.base_ns + pass.span.begin,
               columns.end_ns = trace.meta.base_ns + pass.span.end,
               columns.compute_ns = pass.compute_ns});
  }
  return MoveTables(std::move(table));
}

// Makes a table of the steps of all ranks.
template <Table (*kRows)(const std::vector<PipelineStep>&, const JobContext&)>
struct PipelineAnalysesState {
  explicit PipelineAnalysesState(const Options&) {}

  Status Add(const Capture& capture, std::vector<Table> tables) {
    if (tables.front().row_count() > 0)
      passes.Keep(capture, TableOf<PassPartial>(std::move(tables.front())));
    return OkStatus();
  }
  void Merge(PipelineAnalysesState&& other) { passes.Merge(std::move(other.passes)); }
  Result<Table> Finish(const JobContext& job) { return kRows(PipelineStepsOf(passes, job), job); }

  PerCapture<TableOf<PassPartial>> passes;
};

Value StepOf(const PipelineStep& step) {
  return step.step == CollectiveEvent::kNoStep ? Value(kNull) : Value(step.step);
}

Value PercentOf(double part, double whole) {
  return whole > 0 ? Value(100 * part / whole) : Value(kNull);
}

Value MedianOf(const std::vector<double>& values) {
  return values.empty() ? Value(kNull) : Value(Median(values));
}

Table StepsTable(const std::vector<PipelineStep>& steps, const JobContext& job) {
  const auto& columns = SchemaOf<PipelineSteps>();
  auto table = columns.NewTable("pipeline_steps");
  for (const PipelineStep& step : steps) {
    const auto window = static_cast<double>(step.window_ns);
    table.Add({columns.rank = step.rank, columns.replica = step.replica, columns.stage = step.stage,
               columns.step = StepOf(step), columns.micro_batches = step.micro_batches,
               columns.virtual_stages = step.virtual_stages,
               columns.start_ns = SaturatingSubtract(step.begin_ns, job.origin_ns),
               columns.window_ns = step.window_ns, columns.compute_ns = step.compute_ns,
               columns.inside_ns = step.inside_ns, columns.warm_up_ns = step.warm_up_ns,
               columns.steady_ns = step.steady_ns, columns.cool_down_ns = step.cool_down_ns,
               columns.bubble_pct = PercentOf(static_cast<double>(step.bubble_ns()), window),
               columns.ideal_pct = 100 * step.IdealBubble(), columns.stages_seen = step.stages_seen,
               columns.aligned = step.is_aligned, columns.complete = step.complete});
  }
  return table;
}

struct StageSum {
  std::set<std::int64_t> ranks;
  std::int64_t steps = 0;
  std::int64_t micro_batches = 0;
  std::int64_t virtual_stages = 1;
  double ideal = 0;
  bool is_whole = true;
  std::vector<double> window, compute, inside, warm_up, steady, cool_down, bubble;
  std::map<std::int64_t, std::vector<double>> forward, backward;  // by chunk
};

// The mean over chunks of layers of the median pass.
Value PassOf(const std::map<std::int64_t, std::vector<double>>& by_chunk) {
  if (by_chunk.empty()) return kNull;
  double sum = 0;
  for (const auto& [chunk, durations] : by_chunk) sum += Median(durations);
  return sum / static_cast<double>(by_chunk.size());
}

Table StagesTable(const std::vector<PipelineStep>& steps, const JobContext&) {
  const bool any_complete = std::any_of(steps.begin(), steps.end(),
                                        [](const PipelineStep& step) { return step.complete; });
  std::map<std::int64_t, StageSum> sums;
  for (const PipelineStep& step : steps) {
    if (any_complete && !step.complete) continue;
    StageSum& sum = sums[step.stage];
    sum.ranks.insert(step.rank);
    ++sum.steps;
    sum.micro_batches = std::max(sum.micro_batches, step.micro_batches);
    sum.virtual_stages = std::max(sum.virtual_stages, step.virtual_stages);
    sum.ideal = step.IdealBubble();
    sum.is_whole &= step.is_aligned && step.stages_seen == step.stages;
    const auto window = static_cast<double>(step.window_ns);
    if (window <= 0) continue;
    const auto share = [&](std::int64_t part) { return 100 * static_cast<double>(part) / window; };
    sum.window.push_back(window);
    sum.compute.push_back(share(step.compute_ns));
    sum.inside.push_back(share(step.inside_ns));
    sum.warm_up.push_back(share(step.warm_up_ns));
    sum.steady.push_back(share(step.steady_ns));
    sum.cool_down.push_back(share(step.cool_down_ns));
    sum.bubble.push_back(share(step.bubble_ns()));
    for (const PipelineStep::Pass& pass : step.passes) {
      (pass.is_backward ? sum.backward : sum.forward)[pass.chunk].push_back(
          static_cast<double>(pass.end_ns - pass.begin_ns));
    }
  }
  const auto number = [](const Value& value) {
    const auto* real = std::get_if<double>(&value);
    return real != nullptr ? *real : 0;
  };
  double load = 0;
  for (const auto& [stage, sum] : sums)
    load += number(PassOf(sum.forward)) + number(PassOf(sum.backward));
  load /= static_cast<double>(std::max<std::size_t>(sums.size(), 1));
  const auto& columns = SchemaOf<Pipeline>();
  auto table = columns.NewTable("pipeline");
  for (const auto& [stage, sum] : sums) {
    const Value bubble = MedianOf(sum.bubble);
    const Value forward = PassOf(sum.forward);
    const Value backward = PassOf(sum.backward);
    table.Add(
        {columns.stage = stage, columns.ranks = static_cast<std::int64_t>(sum.ranks.size()),
         columns.steps = sum.steps, columns.micro_batches = sum.micro_batches,
         columns.virtual_stages = sum.virtual_stages, columns.window_ns = MedianOf(sum.window),
         columns.compute_pct = MedianOf(sum.compute), columns.inside_pct = MedianOf(sum.inside),
         columns.warm_up_pct = MedianOf(sum.warm_up), columns.steady_pct = MedianOf(sum.steady),
         columns.cool_down_pct = MedianOf(sum.cool_down), columns.bubble_pct = bubble,
         columns.ideal_pct = 100 * sum.ideal,
         columns.excess_pct = sum.is_whole ? Value(number(bubble) - 100 * sum.ideal) : Value(kNull),
         columns.forward_ns = forward, columns.backward_ns = backward,
         columns.load_pct = PercentOf(number(forward) + number(backward), load)});
  }
  return table;
}

template <std::derived_from<PipelinePassRows> T>
void AddPasses(const T& columns, const PipelineStep& step, const JobContext& job,
               TableOf<T>* table) {
  std::int64_t forwards = 0;
  std::int64_t backwards = 0;
  for (const PipelineStep::Pass& pass : step.passes) {
    table->Add(
        {columns.rank = step.rank, columns.replica = step.replica, columns.stage = step.stage,
         columns.step = StepOf(step), columns.pass = pass.is_backward ? "backward" : "forward",
         columns.ordinal = pass.is_backward ? backwards++ : forwards++,
         columns.start_ns = SaturatingSubtract(pass.begin_ns, job.origin_ns),
         columns.duration_ns = pass.end_ns - pass.begin_ns, columns.compute_ns = pass.compute_ns});
  }
}

Table PassesTable(const std::vector<PipelineStep>& steps, const JobContext& job) {
  const auto& columns = SchemaOf<PipelinePasses>();
  auto table = columns.NewTable("pipeline_passes");
  for (const PipelineStep& step : steps) AddPasses(columns, step, job, &table);
  return table;
}

// The complete step whose window has the median length, of the first replica that has all stages.
Table ScheduleTable(const std::vector<PipelineStep>& steps, const JobContext& job) {
  using Key = std::tuple<bool, bool, std::int64_t>;             // not whole, not complete, replica
  std::map<Key, std::map<std::int64_t, std::int64_t>> windows;  // step -> window
  for (const PipelineStep& step : steps) {
    const Key key{step.stages_seen < step.stages, !step.complete, step.replica};
    std::int64_t& window = windows[key][step.step];
    window = std::max(window, step.window_ns);
  }
  const auto& columns = SchemaOf<PipelineSchedule>();
  auto table = columns.NewTable("pipeline_schedule");
  if (windows.empty()) return table;
  const auto& [key, of_steps] = *windows.begin();
  std::vector<std::pair<std::int64_t, std::int64_t>> by_window;
  by_window.reserve(of_steps.size());
  for (const auto& [step, window] : of_steps) by_window.emplace_back(window, step);
  std::sort(by_window.begin(), by_window.end());
  const std::int64_t chosen = by_window[(by_window.size() - 1) / 2].second;
  for (const PipelineStep& step : steps) {
    if (step.replica == std::get<2>(key) && step.step == chosen)
      AddPasses(columns, step, job, &table);
  }
  return table;
}

constexpr std::string_view kPipelineAnalysesDefinition =
    "Stages are ranks that differ in their pipeline coordinate only (layout_ranks); in traces of "
    "host lanes, the lanes. A pass is what a stage computes for one micro-batch in one direction: "
    "by annotations named after forward and backward, else between sends and receives. The window "
    "reaches from the first pass of the replica to its last, in aligned time; a stage's bubble is "
    "what its passes leave of it. See docs/layout.md.";

}  // namespace

const Analysis& PipelineAnalysis() {
  static const Analysis kAnalysis = {
      .name = "pipeline",
      .summary = "stages of a pipeline: bubble against the ideal, warm-up, steady, cool-down, load",
      .definition = std::string(kPipelineAnalysesDefinition),
      .example = "rankscope table pipeline traces/",
      .columns = SchemaOf<Pipeline>().columns(),
      .mapper = PipelinePassesAnalysis().mapper,
      .reducer = ReduceBy<PipelineAnalysesState<StagesTable>>(),
      .facts = {&AcrossFact()},
  };
  return kAnalysis;
}

const Analysis& PipelineStepsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "pipeline_steps",
      .summary = "how each stage of a pipeline spends each step, exactly",
      .definition = std::string(kPipelineAnalysesDefinition),
      .example = "rankscope table pipeline_steps traces/",
      .columns = SchemaOf<PipelineSteps>().columns(),
      .mapper = PipelinePassesAnalysis().mapper,
      .reducer = ReduceBy<PipelineAnalysesState<StepsTable>>(),
      .facts = {&AcrossFact()},
  };
  return kAnalysis;
}

const Analysis& PipelineScheduleAnalysis() {
  static const Analysis kAnalysis = {
      .name = "pipeline_schedule",
      .summary = "passes of one typical step of one pipeline, stage by stage",
      .definition =
          std::string(kPipelineAnalysesDefinition) +
          " The step is the complete one whose window has the median length, of the first replica "
          "whose stages were all recorded.",
      .example = "rankscope table pipeline_schedule traces/",
      .columns = SchemaOf<PipelineSchedule>().columns(),
      .mapper = PipelinePassesAnalysis().mapper,
      .reducer = ReduceBy<PipelineAnalysesState<ScheduleTable>>(),
      .facts = {&AcrossFact()},
  };
  return kAnalysis;
}

const Analysis& PipelinePassesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "pipeline_passes",
      .size = Size::kDetail,
      .summary = "every forward and backward of every stage and micro-batch",
      .definition = std::string(kPipelineAnalysesDefinition),
      .example = "rankscope table pipeline_passes traces/ --format csv",
      .columns = SchemaOf<PipelinePasses>().columns(),
      .mapper = {.name = "pipeline_passes",
                 .version = 2,
                 .tables = {SchemaOf<PassPartial>().BareColumns()},
                 .map = MapPipelineAnalyses},
      .reducer = ReduceBy<PipelineAnalysesState<PassesTable>>(),
      .facts = {&AcrossFact()},
  };
  return kAnalysis;
}

}  // namespace rankscope
