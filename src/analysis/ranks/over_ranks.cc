#include "analysis/ranks/analyses.h"

#include <algorithm>
#include <set>

#include "analysis/copies/analyses.h"
#include "analysis/device/analyses.h"
#include "analysis/host/analyses.h"
#include "analysis/launches/analyses.h"
#include "analysis/memory/analyses.h"
#include "analysis/ranks/measures.h"
#include "analysis/roofline/analyses.h"
#include "analysis/steps/analyses.h"
#include "schemas/copies.h"
#include "schemas/device.h"
#include "schemas/host.h"
#include "schemas/launches.h"
#include "schemas/memory.h"
#include "schemas/ranks.h"
#include "schemas/roofline.h"
#include "schemas/steps.h"
#include "schemas/words.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

struct OverRanksSource {
  const Analysis* analysis;
  WindowColumns windows;
  std::vector<std::size_t> key_columns;
  std::vector<Measure> measures;  // the first decides which keys are the largest
};

template <typename T>
OverRanksSource OverRanksSourceOf(const Analysis& analysis,
                                  std::initializer_list<AnyColumnOf<T>> key_columns,
                                  const std::vector<MeasureOf<T>>& measures) {
  return {&analysis,
          WindowColumnsOf(SchemaOf<T>()),
          IndexesOf<T>(key_columns),
          {measures.begin(), measures.end()}};
}

using enum MeasureKind;

// The shares of the parts of device time.
std::vector<MeasureOf<TimeBreakdown>> TimeShares() {
  const auto& columns = SchemaOf<TimeBreakdown>();
  std::vector<MeasureOf<TimeBreakdown>> measures;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    measures.push_back({MetricId(kParts[i]),
                        "%",
                        kRatio,
                        {columns.PartColumns()[i]},
                        columns.duration_ns,
                        100,
                        columns.not_observed_ns});
  }
  return measures;
}

const std::vector<OverRanksSource>& OverRanksSources() {
  const auto& overlap = SchemaOf<Overlap>();
  const auto& utilisation = SchemaOf<Utilisation>();
  const auto& flops = SchemaOf<FlopUtilisation>();
  const auto& phases = SchemaOf<Phases>();
  const auto& classes = SchemaOf<KernelClasses>();
  const auto& class_overlap = SchemaOf<ClassOverlap>();
  const auto& gaps = SchemaOf<StreamGaps>();
  const auto& queue = SchemaOf<QueueLength>();
  const auto& launches = SchemaOf<Launches>();
  const auto& copies = SchemaOf<Copies>();
  const auto& memsets = SchemaOf<Memsets>();
  const auto& memory = SchemaOf<MemoryPeaks>();
  const auto& annotations = SchemaOf<Annotations>();
  static const std::vector<OverRanksSource> kSources = {
      OverRanksSourceOf<TimeBreakdown>(TimeBreakdownAnalysis(), {}, TimeShares()),
      OverRanksSourceOf<Overlap>(
          OverlapAnalysis(), {},
          {{"communication", "ns/step", kPerStep, {overlap.communication_ns}},
           {"communication_hidden",
            "%",
            kRatio,
            {overlap.communication_hidden_ns},
            overlap.communication_ns,
            100},
           {"copy", "ns/step", kPerStep, {overlap.copy_ns}},
           {"copy_hidden", "%", kRatio, {overlap.copy_hidden_ns}, overlap.copy_ns, 100}}),
      OverRanksSourceOf<Utilisation>(
          UtilisationAnalysis(), {},
          {{"busy", "%", kRatio, {utilisation.busy_ns}, utilisation.duration_ns, 100},
           {"sm_efficiency", "%", kMean, {utilisation.sm_efficiency_pct}, utilisation.duration_ns},
           {"occupancy", "%", kMean, {utilisation.occupancy_pct}, utilisation.kernel_ns}}),
      OverRanksSourceOf<FlopUtilisation>(
          FlopUtilisationAnalysis(), {},
          {{"hfu", "%", kMean, {flops.hfu_pct}, flops.duration_ns},
           {"mfu", "%", kMean, {flops.mfu_pct}, flops.duration_ns},
           {"known", "%", kMean, {flops.known_pct}, flops.duration_ns}}),
      OverRanksSourceOf<Phases>(PhasesAnalysis(), {phases.phase},
                                {{"duration", "ns/step", kPerStep, {phases.duration_ns}},
                                 {"device_time", "ns/step", kPerStep, {phases.device_ns}},
                                 {"works", "1/step", kPerStep, {phases.works}}}),
      OverRanksSourceOf<KernelClasses>(KernelClassesAnalysis(), {classes.kernel_class},
                                       {{"busy", "ns/step", kPerStep, {classes.busy_ns}},
                                        {"alone", "ns/step", kPerStep, {classes.alone_ns}},
                                        {"count", "1/step", kPerStep, {classes.count}}}),
      OverRanksSourceOf<ClassOverlap>(ClassOverlapAnalysis(), {class_overlap.classes},
                                      {{"time", "ns/step", kPerStep, {class_overlap.time_ns}}}),
      OverRanksSourceOf<StreamGaps>(StreamGapsAnalysis(), {gaps.cause},
                                    {{"time", "ns/step", kPerStep, {gaps.total_ns}},
                                     {"count", "1/step", kPerStep, {gaps.count}},
                                     {"mean", "ns", kRatio, {gaps.total_ns}, gaps.count},
                                     {"longest", "ns", kMax, {gaps.max_ns}}}),
      OverRanksSourceOf<QueueLength>(QueueLengthAnalysis(), {},
                                     {{"mean", "", kMean, {queue.mean}, queue.issued},
                                      {"longest", "", kMax, {queue.max}},
                                      {"full", "ns/step", kPerStep, {queue.full_ns}},
                                      {"blocked", "ns/step", kPerStep, {queue.blocked_ns}}}),
      OverRanksSourceOf<Launches>(LaunchesAnalysis(), {launches.call},
                                  {{"time", "ns/step", kPerStep, {launches.total_ns}},
                                   {"count", "1/step", kPerStep, {launches.count}},
                                   {"mean", "ns", kRatio, {launches.total_ns}, launches.count},
                                   {"longest", "ns", kMax, {launches.max_ns}},
                                   {"delay_mean",
                                    "ns",
                                    kMean,
                                    {launches.delay_mean_ns},
                                    launches.count,
                                    1,
                                    launches.without_work},
                                   {"slow_calls", "1/step", kPerStep, {launches.slow_calls}},
                                   {"late_starts", "1/step", kPerStep, {launches.late_starts}},
                                   {"short_work", "1/step", kPerStep, {launches.short_work}}}),
      OverRanksSourceOf<Copies>(
          CopiesAnalysis(), {copies.direction},
          {{"time", "ns/step", kPerStep, {copies.total_ns}},
           {"bytes", "bytes/step", kPerStep, {copies.bytes}},
           {"count", "1/step", kPerStep, {copies.count}},
           {"bandwidth", "bytes/s", kMean, {copies.bandwidth_bytes_per_s}, copies.total_ns}}),
      OverRanksSourceOf<Memsets>(MemsetsAnalysis(), {},
                                 {{"time", "ns/step", kPerStep, {memsets.total_ns}},
                                  {"bytes", "bytes/step", kPerStep, {memsets.bytes}},
                                  {"count", "1/step", kPerStep, {memsets.count}}}),
      OverRanksSourceOf<MemoryPeaks>(MemoryPeaksAnalysis(), {memory.device_type},
                                     {{"peak", "bytes", kMax, {memory.peak_bytes}},
                                      {"reserved", "bytes", kMax, {memory.peak_reserved_bytes}}}),
      OverRanksSourceOf<Annotations>(AnnotationsAnalysis(), {annotations.side, annotations.name},
                                     {{"time", "ns/step", kPerStep, {annotations.total_ns}},
                                      {"device_time", "ns/step", kPerStep, {annotations.device_ns}},
                                      {"count", "1/step", kPerStep, {annotations.count}}}),
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

void AddOverRanksRow(TableOf<OverRanks>& table, const OverRanksSource& source,
                     const std::string& key, const Measure& measure, const RankValues& values) {
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
  const auto& columns = SchemaOf<OverRanks>();
  table.Add({columns.analysis = source.analysis->name, columns.key = key,
             columns.metric = measure.metric.text(), columns.unit = measure.unit,
             columns.ranks = static_cast<std::int64_t>(sorted.size()),
             columns.total = measure.kind == kPerStep ? Value(values.total) : Value(kNull),
             columns.mean = sum / static_cast<double>(sorted.size()), columns.min = sorted.front(),
             columns.p25 = quantile(0.25), columns.median = quantile(0.5),
             columns.p75 = quantile(0.75), columns.p95 = quantile(0.95),
             columns.max = sorted.back(), columns.min_rank = smallest, columns.max_rank = largest});
}

Result<Table> DeriveOverRanks(const InputTables& inputs, const JobContext&,
                              const Options& options) {
  const auto most = static_cast<std::size_t>(CountOption(options, "keys"));
  const CountedWindows counted(inputs.Of<StepTimes>());
  auto table = SchemaOf<OverRanks>().NewTable("over_ranks");
  for (const OverRanksSource& source : OverRanksSources()) {
    const Table& rows = inputs.Named(source.analysis->name);
    std::vector<std::map<std::string, RankValues>> measured;
    measured.reserve(source.measures.size());
    for (const Measure& measure : source.measures)
      measured.push_back(MeasureRanks(rows, source.windows, counted, source.key_columns, measure));
    for (const std::string& key : LargestKeys(measured.front(), most)) {
      for (std::size_t m = 0; m < measured.size(); ++m) {
        const auto values = measured[m].find(key);
        if (values != measured[m].end())
          AddOverRanksRow(table, source, key, source.measures[m], values->second);
      }
    }
  }
  return table;
}

std::vector<const Analysis*> InputsOfOverRanks() {
  std::vector<const Analysis*> inputs = {&StepTimesAnalysis()};
  for (const OverRanksSource& source : OverRanksSources()) inputs.push_back(source.analysis);
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
          "left out when others have some. Percentages and means per call are ratios of sums. "
          "Weighted means: sm_efficiency by the window's length, occupancy by kernel time, queue "
          "length by issued work, bandwidth by copying time. Percentiles are over the ranks on "
          "which the key occurs, with linear interpolation. Of every analysis the `keys` keys with "
          "the largest totals are kept.",
      .example = "rankscope table over_ranks traces/ --format csv",
      .columns = SchemaOf<OverRanks>().columns(),
      .options = {{"keys", "40", "so many keys of each analysis; 0 = all", OptionType::kCount}},
      .inputs = InputsOfOverRanks(),
      .derive = DeriveOverRanks,
  };
  return kAnalysis;
}

}  // namespace rankscope
