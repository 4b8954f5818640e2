#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/steps/analyses.h"
#include "schemas/steps.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

using StepOfRank = std::tuple<std::int64_t, std::int64_t, std::int64_t>;  // rank, capture, step

struct Phase {
  std::int64_t recorded = 0;
  std::vector<std::int64_t> durations;
  std::set<std::int64_t> ranks;
  std::int64_t works = 0;
  std::int64_t windows = 0;  // of all devices
  double observed_ns = 0;
  double busy_ns = 0;
};

void AddStepPhasesRow(TableOf<StepPhases>& table, const std::string& name, Phase& phase,
                      double all_ns) {
  const auto& columns = SchemaOf<StepPhases>();
  const auto whole = static_cast<std::int64_t>(phase.durations.size());
  if (whole == 0) {
    table.Add({columns.phase = name, columns.ranks = std::int64_t{0},
               columns.recorded = phase.recorded, columns.steps = whole});
    return;
  }
  std::sort(phase.durations.begin(), phase.durations.end());
  const auto count = static_cast<double>(whole);
  double sum = 0;
  for (const std::int64_t duration : phase.durations) sum += static_cast<double>(duration);
  table.Add(
      {columns.phase = name, columns.ranks = static_cast<std::int64_t>(phase.ranks.size()),
       columns.recorded = phase.recorded, columns.steps = whole,
       columns.min_ns = phase.durations.front(), columns.median_ns = Quantile(phase.durations, 0.5),
       columns.mean_ns = sum / count, columns.max_ns = phase.durations.back(),
       columns.time_pct = all_ns > 0 ? Value(100 * sum / all_ns) : Value(kNull),
       columns.busy_ns = phase.windows > 0
                             ? Value(phase.busy_ns / static_cast<double>(phase.windows))
                             : Value(kNull),
       columns.busy_pct =
           phase.observed_ns > 0 ? Value(100 * phase.busy_ns / phase.observed_ns) : Value(kNull),
       columns.works = static_cast<double>(phase.works) / count});
}

Result<Table> DeriveStepPhases(const InputTables& inputs, const JobContext&, const Options&) {
  const ViewOf<StepTimes> steps = inputs.Of<StepTimes>();
  const auto& of_step = SchemaOf<StepTimes>();
  std::map<std::string, Phase> phases;
  std::map<StepOfRank, Phase*> phase_of;
  double all_ns = 0;
  for (std::size_t row = 0; row < steps.row_count(); ++row) {
    Phase* of = nullptr;
    if (!steps.IsNull(row, of_step.phase)) {
      of = &phases[std::string(steps.String(row, of_step.phase))];
      ++of->recorded;
    }
    if (!steps.Bool(row, of_step.complete)) continue;
    const std::int64_t duration = steps.Int(row, of_step.duration_ns);
    all_ns += static_cast<double>(duration);
    if (of == nullptr) continue;
    Phase& phase = *of;
    const std::int64_t rank = steps.Int(row, of_step.rank);
    phase.durations.push_back(duration);
    phase.ranks.insert(rank);
    phase.works += steps.Int(row, of_step.launched_work);
    phase_of[{rank, steps.Int(row, of_step.capture), steps.Int(row, of_step.step)}] = &phase;
  }
  const ViewOf<TimeBreakdown> parts = inputs.Of<TimeBreakdown>();
  const auto& part = SchemaOf<TimeBreakdown>();
  for (std::size_t row = 0; row < parts.row_count(); ++row) {
    const auto step = parts.Known(row, part.step);
    if (!step) continue;
    const auto found =
        phase_of.find({parts.Int(row, part.rank), parts.Int(row, part.capture), *step});
    if (found == phase_of.end()) continue;
    const auto time = [&](auto column) { return static_cast<double>(parts.Int(row, column)); };
    ++found->second->windows;
    found->second->observed_ns += time(part.duration_ns) - time(part.not_observed_ns);
    found->second->busy_ns +=
        time(part.compute_ns) + time(part.exposed_communication_ns) + time(part.exposed_copy_ns);
  }
  auto table = SchemaOf<StepPhases>().NewTable(std::string(StepPhases::kName));
  for (auto& [name, phase] : phases) AddStepPhasesRow(table, name, phase, all_ns);
  return table;
}

}  // namespace

const Analysis& StepPhasesAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(StepPhases::kName),
      .summary = "how long an inference engine's steps of each phase take: prefill, decode, mixed",
      .definition =
          "Complete steps (step_times) by the phase that the engine's mark states, over all ranks "
          "and recordings: vLLM's execute_context_P(..)_generation_G(..) is prefill with G = 0, "
          "decode with P = 0, else mixed; SGLang's step[MODE ..], TensorRT-LLM's _forward_step and "
          "scopes such as decode_batch say it by name or number of requests. busy_pct = 100 * "
          "(compute + exposed communication + exposed copies) / (duration - not observed) over the "
          "devices' windows of these steps (time_breakdown). No row where steps have no phase.",
      .example = "rankscope table step_phases traces/",
      .columns = SchemaOf<StepPhases>().columns(),
      .inputs = {&StepTimesAnalysis(), &TimeBreakdownAnalysis()},
      .derive = DeriveStepPhases,
  };
  return kAnalysis;
}

}  // namespace rankscope
