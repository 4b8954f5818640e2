#include "analysis/ranks/over_ranks.h"

#include <algorithm>
#include <set>

#include "analysis/copies/copies.h"
#include "analysis/copies/memsets.h"
#include "analysis/device/class_overlap.h"
#include "analysis/device/kernel_classes.h"
#include "analysis/device/overlap.h"
#include "analysis/device/stream_gaps.h"
#include "analysis/device/utilisation.h"
#include "analysis/host/annotations.h"
#include "analysis/launches/launches.h"
#include "analysis/launches/queue_length.h"
#include "analysis/memory/memory_peaks.h"
#include "analysis/ranks/measures.h"
#include "analysis/roofline/flop_utilisation.h"
#include "analysis/steps/phases.h"
#include "analysis/steps/step_times.h"
#include "analysis/steps/time_breakdown.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Text("analysis", "the per-rank analysis that the metric is from"),
      column::Text("key", "kernel class, cause, call, direction, phase, ...; empty without one"),
      column::Text("metric", "what is measured"),
      column::Text("unit", "unit of the numbers; per step where it says so"),
      column::Int("ranks", "", "ranks on which it is known"),
      column::Real("total", "", "sum over all counted windows of all ranks; null for ratios"),
      column::Real("mean", "", "mean over ranks"),
      column::Real("min", "", "smallest"),
      column::Real("p25", "", "25th percentile over ranks"),
      column::Real("median", "", "median over ranks"),
      column::Real("p75", "", "75th percentile over ranks"),
      column::Real("p95", "", "95th percentile over ranks"),
      column::Real("max", "", "largest"),
      column::Int("min_rank", "", "the rank with the smallest, the lowest of several"),
      column::Int("max_rank", "", "the rank with the largest, the lowest of several"),
  };
  return kColumns;
}

struct Source {
  const Analysis* analysis;
  std::vector<std::string_view> key_columns;
  std::vector<Measure> measures;  // the first decides which keys are the largest
};

constexpr auto kPerStep = MeasureKind::kPerStep;
constexpr auto kRatio = MeasureKind::kRatio;
constexpr auto kMean = MeasureKind::kMean;
constexpr auto kMax = MeasureKind::kMax;

const std::vector<Source>& Sources() {
  static const std::vector<Source> kSources = {
      {&TimeBreakdownAnalysis(),
       {},
       {{"compute", "%", kRatio, {"compute_ns"}, "duration_ns", 100},
        {"exposed_communication", "%", kRatio, {"exposed_communication_ns"}, "duration_ns", 100},
        {"exposed_copy", "%", kRatio, {"exposed_copy_ns"}, "duration_ns", 100},
        {"idle_host", "%", kRatio, {"idle_host_ns"}, "duration_ns", 100},
        {"idle_data", "%", kRatio, {"idle_data_ns"}, "duration_ns", 100},
        {"idle_sync", "%", kRatio, {"idle_sync_ns"}, "duration_ns", 100},
        {"idle_launch", "%", kRatio, {"idle_launch_ns"}, "duration_ns", 100},
        {"idle_gap", "%", kRatio, {"idle_gap_ns"}, "duration_ns", 100},
        {"idle_stream", "%", kRatio, {"idle_stream_ns"}, "duration_ns", 100},
        {"unknown", "%", kRatio, {"unknown_ns"}, "duration_ns", 100}}},
      {&OverlapAnalysis(),
       {},
       {{"communication", "ns/step", kPerStep, {"communication_ns"}, "", 1},
        {"communication_hidden", "%", kRatio, {"communication_hidden_ns"}, "communication_ns", 100},
        {"copy", "ns/step", kPerStep, {"copy_ns"}, "", 1},
        {"copy_hidden", "%", kRatio, {"copy_hidden_ns"}, "copy_ns", 100}}},
      {&UtilisationAnalysis(),
       {},
       {{"busy", "%", kRatio, {"busy_ns"}, "duration_ns", 100},
        {"sm_efficiency", "%", kMean, {"sm_efficiency_pct"}, "duration_ns", 1},
        {"occupancy", "%", kMean, {"occupancy_pct"}, "kernel_ns", 1}}},
      {&FlopUtilisationAnalysis(),
       {},
       {{"hfu", "%", kMean, {"hfu_pct"}, "duration_ns", 1},
        {"mfu", "%", kMean, {"mfu_pct"}, "duration_ns", 1},
        {"known", "%", kMean, {"known_pct"}, "duration_ns", 1}}},
      {&PhasesAnalysis(),
       {"phase"},
       {{"duration", "ns/step", kPerStep, {"duration_ns"}, "", 1},
        {"device_time", "ns/step", kPerStep, {"device_ns"}, "", 1},
        {"works", "1/step", kPerStep, {"works"}, "", 1}}},
      {&KernelClassesAnalysis(),
       {"class"},
       {{"busy", "ns/step", kPerStep, {"busy_ns"}, "", 1},
        {"alone", "ns/step", kPerStep, {"alone_ns"}, "", 1},
        {"count", "1/step", kPerStep, {"count"}, "", 1}}},
      {&ClassOverlapAnalysis(), {"classes"}, {{"time", "ns/step", kPerStep, {"time_ns"}, "", 1}}},
      {&StreamGapsAnalysis(),
       {"cause"},
       {{"time", "ns/step", kPerStep, {"total_ns"}, "", 1},
        {"count", "1/step", kPerStep, {"count"}, "", 1},
        {"mean", "ns", kRatio, {"total_ns"}, "count", 1},
        {"longest", "ns", kMax, {"max_ns"}, "", 1}}},
      {&QueueLengthAnalysis(),
       {},
       {{"mean", "", kMean, {"mean"}, "issued", 1},
        {"longest", "", kMax, {"max"}, "", 1},
        {"full", "ns/step", kPerStep, {"full_ns"}, "", 1},
        {"blocked", "ns/step", kPerStep, {"blocked_ns"}, "", 1}}},
      {&LaunchesAnalysis(),
       {"call"},
       {{"time", "ns/step", kPerStep, {"total_ns"}, "", 1},
        {"count", "1/step", kPerStep, {"count"}, "", 1},
        {"mean", "ns", kRatio, {"total_ns"}, "count", 1},
        {"longest", "ns", kMax, {"max_ns"}, "", 1},
        {"delay_mean", "ns", kMean, {"delay_mean_ns"}, "count", 1, "without_work"},
        {"slow_calls", "1/step", kPerStep, {"slow_calls"}, "", 1},
        {"late_starts", "1/step", kPerStep, {"late_starts"}, "", 1},
        {"short_work", "1/step", kPerStep, {"short_work"}, "", 1}}},
      {&CopiesAnalysis(),
       {"direction"},
       {{"time", "ns/step", kPerStep, {"total_ns"}, "", 1},
        {"bytes", "bytes/step", kPerStep, {"bytes"}, "", 1},
        {"count", "1/step", kPerStep, {"count"}, "", 1},
        {"bandwidth", "bytes/s", kMean, {"bandwidth_bytes_per_s"}, "total_ns", 1}}},
      {&MemsetsAnalysis(),
       {},
       {{"time", "ns/step", kPerStep, {"total_ns"}, "", 1},
        {"bytes", "bytes/step", kPerStep, {"bytes"}, "", 1},
        {"count", "1/step", kPerStep, {"count"}, "", 1}}},
      {&MemoryPeaksAnalysis(),
       {"device_type"},
       {{"peak", "bytes", kMax, {"peak_bytes"}, "", 1},
        {"reserved", "bytes", kMax, {"peak_reserved_bytes"}, "", 1}}},
      {&AnnotationsAnalysis(),
       {"side", "name"},
       {{"time", "ns/step", kPerStep, {"total_ns"}, "", 1},
        {"device_time", "ns/step", kPerStep, {"device_ns"}, "", 1},
        {"count", "1/step", kPerStep, {"count"}, "", 1}}},
  };
  return kSources;
}

std::set<std::string> LargestKeys(const std::map<std::string, RankValues>& values,
                                  std::size_t most) {
  std::vector<std::pair<double, std::string_view>> order;
  order.reserve(values.size());
  for (const auto& [key, of_ranks] : values) order.emplace_back(-of_ranks.total, key);
  std::sort(order.begin(), order.end());
  if (most > 0 && order.size() > most) order.resize(most);
  std::set<std::string> keys;
  for (const auto& [total, key] : order) keys.emplace(key);
  return keys;
}

void AddRow(Table& table, const Source& source, const std::string& key, const Measure& measure,
            const RankValues& values) {
  std::vector<double> sorted;
  sorted.reserve(values.by_rank.size());
  for (const auto& [rank, value] : values.by_rank) sorted.push_back(value);
  std::sort(sorted.begin(), sorted.end());
  double sum = 0;
  for (const double value : sorted) sum += value;
  const auto by_value = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto smallest =
      std::min_element(values.by_rank.begin(), values.by_rank.end(), by_value)->first;
  const auto largest =
      std::max_element(values.by_rank.begin(), values.by_rank.end(), by_value)->first;
  const auto quantile = [&](double q) { return Quantile(std::span<const double>(sorted), q); };
  table.AddRow({std::string_view(source.analysis->name), std::string_view(key), measure.metric,
                measure.unit, static_cast<std::int64_t>(sorted.size()),
                measure.kind == kPerStep ? Value(values.total) : Value(kNull),
                sum / static_cast<double>(sorted.size()), sorted.front(), quantile(0.25),
                quantile(0.5), quantile(0.75), quantile(0.95), sorted.back(), smallest, largest});
}

Result<Table> Derive(std::span<const Table* const> inputs, const JobContext&,
                     const Options& options) {
  const auto most = static_cast<std::size_t>(CountOption(options, "keys"));
  const CountedWindows counted(*inputs.front());
  Table table("over_ranks", Columns());
  for (std::size_t i = 0; i < Sources().size(); ++i) {
    const Source& source = Sources()[i];
    std::vector<std::map<std::string, RankValues>> measured;
    measured.reserve(source.measures.size());
    for (const Measure& measure : source.measures)
      measured.push_back(MeasureRanks(*inputs[i + 1], counted, source.key_columns, measure));
    for (const std::string& key : LargestKeys(measured.front(), most)) {
      for (std::size_t m = 0; m < measured.size(); ++m) {
        const auto values = measured[m].find(key);
        if (values != measured[m].end())
          AddRow(table, source, key, source.measures[m], values->second);
      }
    }
  }
  return table;
}

std::vector<const Analysis*> Inputs() {
  std::vector<const Analysis*> inputs = {&StepTimesAnalysis()};
  for (const Source& source : Sources()) inputs.push_back(source.analysis);
  return inputs;
}

}  // namespace

const Analysis& OverRanksAnalysis() {
  static const Analysis kAnalysis = {
      .name = "over_ranks",
      .summary = "every per-rank metric over the job: percentiles over ranks, and which is extreme",
      .definition =
          "Each rank's value is made of its complete steps (of a rank that has none: of the whole "
          "recording). 'per step' units: the sum / number of complete steps; a rank without any is "
          "left "
          "out when others have some. Percentages and means "
          "per call are ratios of sums. Weighted means: sm_efficiency by the window's length, "
          "occupancy by kernel time, queue length by issued work, bandwidth by copying time. "
          "Percentiles are over the ranks on which the key occurs, with linear interpolation. Of "
          "every analysis the `keys` keys with the largest totals are kept.",
      .example = "rankscope table over_ranks traces/ --format csv",
      .columns = Columns(),
      .options = {{"keys", "40", "so many keys of each analysis; 0 = all", OptionType::kCount}},
      .inputs = Inputs(),
      .derive = Derive,
  };
  return kAnalysis;
}

}  // namespace rankscope
