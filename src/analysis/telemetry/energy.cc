#include <map>
#include <optional>
#include <string>

#include "analysis/steps/analyses.h"
#include "analysis/telemetry/analyses.h"
#include "quantity/quantity.h"
#include "schemas/steps.h"
#include "schemas/telemetry.h"

namespace rankscope {
namespace {

// What a job may tell of itself (POST /runs/ID/metrics, or a file of telemetry).
constexpr std::string_view kSamplesPerStep = "samples_per_step";

struct Mean {
  double sum = 0;
  std::int64_t count = 0;
  void Add(double value) {
    sum += value;
    ++count;
  }
  std::optional<double> Value() const {
    return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
  }
};

struct OfRank {
  Mean power_w, step_ns, samples;
};

std::map<std::int64_t, OfRank> RanksOf(const InputTables& inputs) {
  std::map<std::int64_t, OfRank> ranks;
  const ViewOf<TelemetryByRank> told = inputs.Of<TelemetryByRank>();
  const auto& tells = SchemaOf<TelemetryByRank>();
  for (std::size_t row = 0; row < told.row_count(); ++row) {
    if (told.String(row, tells.of) != "rank") continue;
    const std::string_view name = told.String(row, tells.name);
    OfRank& rank = ranks[told.Int(row, tells.rank)];
    if (name == quantity::kDevicePower.name) rank.power_w.Add(told.Double(row, tells.mean));
    if (name == kSamplesPerStep) rank.samples.Add(told.Double(row, tells.mean));
  }
  const ViewOf<StepTimes> steps = inputs.Of<StepTimes>();
  const auto& step = SchemaOf<StepTimes>();
  for (std::size_t row = 0; row < steps.row_count(); ++row) {
    const auto found = ranks.find(steps.Int(row, step.rank));
    if (found != ranks.end() && steps.Bool(row, step.complete))
      found->second.step_ns.Add(static_cast<double>(steps.Int(row, step.duration_ns)));
  }
  return ranks;
}

Result<Table> DeriveEnergy(const InputTables& inputs, const JobContext&, const Options&) {
  const auto& columns = SchemaOf<Energy>();
  auto table = columns.NewTable(std::string(Energy::kName));
  Mean step_ns;
  double power_w = 0, step_j = 0, samples = 0;
  std::int64_t with_power = 0, with_steps = 0, with_samples = 0;
  for (const auto& [rank, of] : RanksOf(inputs)) {
    const auto power = of.power_w.Value(), step = of.step_ns.Value(), told = of.samples.Value();
    if (!power) continue;
    const std::optional<double> joules = step ? std::optional(*power * *step / 1e9) : std::nullopt;
    const bool has_samples = joules && told && *told > 0;
    table.Add({columns.rank = rank, columns.ranks = std::int64_t{1}, columns.power_w = power,
               columns.step_ns = step, columns.step_j = joules, columns.samples = told,
               columns.sample_j = has_samples ? Value(*joules / *told) : Value(kNull)});
    ++with_power;
    power_w += *power;
    with_steps += joules ? 1 : 0;
    step_j += joules.value_or(0);
    if (step) step_ns.Add(*step);
    with_samples += has_samples ? 1 : 0;
    samples += has_samples ? *told : 0;
  }
  if (with_power == 0) return table;
  // Of some ranks alone a sum is none of all.
  const bool has_steps = with_steps == with_power, has_samples = with_samples == with_power;
  table.Add({columns.rank = kNull, columns.ranks = with_power, columns.power_w = power_w,
             columns.step_ns = step_ns.Value(),
             columns.step_j = has_steps ? Value(step_j) : Value(kNull),
             columns.samples = has_samples ? Value(samples) : Value(kNull),
             columns.sample_j = has_samples ? Value(step_j / samples) : Value(kNull)});
  return table;
}

}  // namespace

const Analysis& EnergyAnalysis() {
  static const Analysis kAnalysis = {
      .name = std::string(Energy::kName),
      .summary = "what a step and a sample cost in joules, by the devices' power",
      .definition =
          "Of each rank the mean of the samples of device_power around its recording "
          "(telemetry_by_rank), times the mean of its complete steps (step_times); the row without "
          "a rank sums them. Samples a step come from the job, as samples_per_step of each rank. "
          "Devices alone: hosts, networks and cooling are not in it. No row without power.",
      .example = "rankscope table energy traces/",
      .columns = SchemaOf<Energy>().columns(),
      .inputs = {&TelemetryByRankAnalysis(), &StepTimesAnalysis()},
      .derive = DeriveEnergy,
  };
  return kAnalysis;
}

}  // namespace rankscope
