#include "analysis/ranks/analyses.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/copies/analyses.h"
#include "analysis/device/analyses.h"
#include "analysis/host/analyses.h"
#include "analysis/launches/analyses.h"
#include "analysis/layout/analyses.h"
#include "analysis/memory/analyses.h"
#include "analysis/ranks/measures.h"
#include "analysis/roofline/analyses.h"
#include "analysis/steps/analyses.h"
#include "schemas/copies.h"
#include "schemas/device.h"
#include "schemas/host.h"
#include "schemas/launches.h"
#include "schemas/layout.h"
#include "schemas/memory.h"
#include "schemas/ranks.h"
#include "schemas/roofline.h"
#include "schemas/steps.h"
#include "schemas/words.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

struct RankMetric {
  const Analysis* analysis;
  WindowColumns windows;
  Measure measure;
  bool zero_without_rows = false;  // a rank of which the table says nothing has none of it
  // Columns that tell parts of a rank apart, of which the largest value counts.
  std::vector<std::size_t> largest_of = {};
  std::string_view not_of = {};  // a part that does not count
};

template <typename T>
RankMetric RankMetricOf(const Analysis& analysis, const MeasureOf<T>& measure,
                        bool zero_without_rows = false,
                        std::initializer_list<AnyColumnOf<T>> largest_of = {},
                        std::string_view not_of = {}) {
  return {&analysis,         WindowColumnsOf(SchemaOf<T>()), measure,
          zero_without_rows, IndexesOf<T>(largest_of),       not_of};
}

using enum MeasureKind;

std::vector<AnyColumnOf<TimeBreakdown>> IdleColumns() {
  std::vector<AnyColumnOf<TimeBreakdown>> columns;
  for (std::size_t i = 0; i < kParts.size(); ++i) {
    if (kParts[i].is_idle) columns.push_back(SchemaOf<TimeBreakdown>().PartColumns()[i]);
  }
  return columns;
}

// What is compared over ranks, in the order that a reader looks for it.
const std::vector<RankMetric>& Metrics() {
  const auto& steps = SchemaOf<StepTimes>();
  const auto& time = SchemaOf<TimeBreakdown>();
  const auto& overlap = SchemaOf<Overlap>();
  const auto& utilisation = SchemaOf<Utilisation>();
  const auto& flops = SchemaOf<FlopUtilisation>();
  const auto& launches = SchemaOf<Launches>();
  const auto& queue = SchemaOf<QueueLength>();
  const auto& copies = SchemaOf<Copies>();
  const auto& host = SchemaOf<HostBreakdown>();
  const auto& memory = SchemaOf<MemoryPeaks>();
  const auto of_steps = [&](MeasureOf<StepTimes> measure) {
    return RankMetricOf<StepTimes>(StepTimesAnalysis(), std::move(measure));
  };
  const auto of_time = [&](MetricId metric, std::vector<AnyColumnOf<TimeBreakdown>> columns) {
    return RankMetricOf<TimeBreakdown>(
        TimeBreakdownAnalysis(),
        {metric, "%", kRatio, std::move(columns), time.duration_ns, 100, time.not_observed_ns});
  };
  static const std::vector<RankMetric> kMetricsOfRanks = {
      of_steps({"step_time", "ns", kPerStep, {steps.duration_ns}}),
      of_time("compute", {time.compute_ns}),
      of_time("exposed_communication", {time.exposed_communication_ns}),
      of_time("exposed_copy", {time.exposed_copy_ns}),
      of_time("idle", IdleColumns()),
      of_time("idle_host", {time.idle_host_ns}),
      of_time("idle_data", {time.idle_data_ns}),
      of_time("idle_sync", {time.idle_sync_ns}),
      RankMetricOf<Overlap>(OverlapAnalysis(), {"communication_hidden",
                                                "%",
                                                kRatio,
                                                {overlap.communication_hidden_ns},
                                                overlap.communication_ns,
                                                100}),
      RankMetricOf<Overlap>(OverlapAnalysis(),
                            {"communication", "ns/step", kPerStep, {overlap.communication_ns}}),
      RankMetricOf<Overlap>(
          OverlapAnalysis(),
          {"communication_hidden_time", "ns/step", kPerStep, {overlap.communication_hidden_ns}}),
      RankMetricOf<TimeBreakdown>(
          TimeBreakdownAnalysis(),
          {"communication_exposed_time", "ns/step", kPerStep, {time.exposed_communication_ns}}),
      RankMetricOf<Utilisation>(
          UtilisationAnalysis(),
          {"device_busy", "%", kRatio, {utilisation.busy_ns}, utilisation.duration_ns, 100}),
      RankMetricOf<Utilisation>(
          UtilisationAnalysis(),
          {"sm_efficiency", "%", kMean, {utilisation.sm_efficiency_pct}, utilisation.duration_ns}),
      RankMetricOf<Utilisation>(
          UtilisationAnalysis(),
          {"occupancy", "%", kMean, {utilisation.occupancy_pct}, utilisation.kernel_ns}),
      RankMetricOf<FlopUtilisation>(FlopUtilisationAnalysis(),
                                    {"hfu", "%", kMean, {flops.hfu_pct}, flops.duration_ns}),
      // Work that begins in a step may be left over from the one before.
      of_steps({"kernels", "1/step", kPerStep, {steps.launched_work}, steps.launched_work}),
      RankMetricOf<Launches>(LaunchesAnalysis(),
                             {"launch_time", "ns", kRatio, {launches.total_ns}, launches.count}),
      RankMetricOf<Launches>(LaunchesAnalysis(), {"launch_delay",
                                                  "ns",
                                                  kMean,
                                                  {launches.delay_mean_ns},
                                                  launches.count,
                                                  1,
                                                  launches.without_work}),
      RankMetricOf<QueueLength>(QueueLengthAnalysis(),
                                {"queue_length", "", kMean, {queue.mean}, queue.issued}),
      RankMetricOf<Copies>(CopiesAnalysis(), {"copy_bytes", "bytes/step", kPerStep, {copies.bytes}},
                           true),
      RankMetricOf<Copies>(CopiesAnalysis(), {"copy_time", "ns/step", kPerStep, {copies.total_ns}},
                           true),
      RankMetricOf<HostBreakdown>(HostBreakdownAnalysis(),
                                  {"host_busy", "%", kRatio, {host.busy_ns}, host.duration_ns, 100},
                                  false, {host.process, host.thread}),
      RankMetricOf<MemoryPeaks>(MemoryPeaksAnalysis(),
                                {"memory_peak", "bytes", kMax, {memory.peak_bytes}}, false,
                                {memory.device_type}, "cpu"),
  };
  return kMetricsOfRanks;
}

std::vector<const Analysis*> InputsOfRankMetrics() {
  std::vector<const Analysis*> inputs = {&StepTimesAnalysis(), &LayoutRanksAnalysis()};
  for (const RankMetric& metric : Metrics()) {
    if (std::find(inputs.begin(), inputs.end(), metric.analysis) == inputs.end())
      inputs.push_back(metric.analysis);
  }
  return inputs;
}

// Ranks that differ by next to nothing always have some that differ "significantly".
bool IsLarge(double difference, double median, std::string_view unit) {
  return unit == "%" ? std::abs(difference) >= 1 : std::abs(difference) >= 0.02 * std::abs(median);
}

std::set<std::int64_t> RanksIn(const Table& table, std::size_t column) {
  std::set<std::int64_t> ranks;
  for (std::size_t row = 0; row < table.row_count(); ++row) ranks.insert(table.Int(row, column));
  return ranks;
}

// Ranks that do the same work: of one role and stage. Fewer than so many tell no outlier.
constexpr std::size_t kLeastPeers = 3;
using RankMetricsPlace = std::pair<std::string_view, std::int64_t>;  // role, and stage or -1
std::map<std::int64_t, RankMetricsPlace> RankPlacesOf(ViewOf<LayoutRanks> layout) {
  const auto& columns = SchemaOf<LayoutRanks>();
  std::map<std::int64_t, RankMetricsPlace> places;
  for (std::size_t row = 0; row < layout.row_count(); ++row) {
    const std::string_view role =
        layout.IsNull(row, columns.role) ? "" : layout.String(row, columns.role);
    places[layout.Int(row, columns.rank)] = {role, layout.Known(row, columns.pp).value_or(-1)};
  }
  return places;
}

// What is said of a rank beside its value.
struct Standing {
  double median = 0;
  std::optional<double> deviation;
};

std::map<std::int64_t, Standing> StandingsOf(
    const std::map<std::int64_t, double>& by_rank,
    const std::map<std::int64_t, RankMetricsPlace>& places) {
  std::map<RankMetricsPlace, std::vector<std::int64_t>> groups;
  for (const auto& [rank, value] : by_rank) {
    const auto place = places.find(rank);
    groups[place == places.end() ? RankMetricsPlace("", -1) : place->second].push_back(rank);
  }
  std::map<std::int64_t, Standing> standings;
  for (const auto& [place, ranks] : groups) {
    std::vector<double> values;
    values.reserve(ranks.size());
    for (const std::int64_t rank : ranks) values.push_back(by_rank.at(rank));
    const auto deviations = RobustDeviations(values);
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    const double median = Quantile(std::span<const double>(sorted), 0.5);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      const bool are_enough = ranks.size() >= kLeastPeers || groups.size() == 1;
      standings[ranks[i]] = {median, are_enough ? deviations[i] : std::nullopt};
    }
  }
  return standings;
}

void AddRows(TableOf<RankMetrics>& table, const Measure& measure,
             const std::map<std::int64_t, double>& by_rank, const std::vector<std::int64_t>& ranks,
             const std::map<std::int64_t, RankMetricsPlace>& places) {
  const auto& columns = SchemaOf<RankMetrics>();
  const std::map<std::int64_t, Standing> standings = StandingsOf(by_rank, places);
  for (const std::int64_t rank : ranks) {
    const auto found = by_rank.find(rank);
    if (found == by_rank.end()) {
      table.Add({columns.rank = rank, columns.metric = measure.metric.text(),
                 columns.unit = measure.unit, columns.outlier = false});
      continue;
    }
    const double value = found->second;
    const Standing& standing = standings.at(rank);
    const bool is_outlier = standing.deviation &&
                            std::abs(*standing.deviation) >= kOutlierDeviation &&
                            IsLarge(value - standing.median, standing.median, measure.unit);
    table.Add({columns.rank = rank, columns.metric = measure.metric.text(),
               columns.unit = measure.unit, columns.value = value, columns.median = standing.median,
               columns.deviation = standing.deviation, columns.outlier = is_outlier});
  }
}

Result<Table> DeriveRankMetrics(const InputTables& inputs, const JobContext& job, const Options&) {
  const CountedWindows counted(inputs.Of<StepTimes>());
  std::vector<std::int64_t> ranks;
  for (const Capture& capture : job.captures) {
    if (capture.selected && (ranks.empty() || ranks.back() != capture.rank))
      ranks.push_back(capture.rank);
  }
  const Table& devices = inputs.Named(TimeBreakdown::kName);
  const std::map<std::int64_t, RankMetricsPlace> places = RankPlacesOf(inputs.Of<LayoutRanks>());
  auto table = SchemaOf<RankMetrics>().NewTable("rank_metrics");
  for (const RankMetric& metric : Metrics()) {
    const Table& source = inputs.Named(metric.analysis->name);
    std::map<std::int64_t, double> by_rank;
    for (const auto& [part, values] :
         MeasureRanks(source, metric.windows, counted, metric.largest_of, metric.measure)) {
      if (!metric.not_of.empty() && part == metric.not_of) continue;
      for (const auto& [rank, value] : values.by_rank) {
        const auto [place, is_new] = by_rank.try_emplace(rank, value);
        if (!is_new) place->second = std::max(place->second, value);
      }
    }
    if (by_rank.empty()) continue;
    if (metric.zero_without_rows) {
      std::set<std::int64_t> known = RanksIn(source, metric.windows.rank);
      for (const std::int64_t rank : RanksIn(devices, SchemaOf<TimeBreakdown>().rank.index())) {
        if (!known.contains(rank)) by_rank[rank] = 0;
      }
    }
    AddRows(table, metric.measure, by_rank, ranks, places);
  }
  return table;
}

}  // namespace

const Analysis& RankMetricsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "rank_metrics",
      .summary = "the main metrics of every rank side by side, with the ranks that stand apart",
      .definition =
          "Values as in over_ranks, over all devices and streams of the rank: step_time is the "
          "mean of the complete steps, kernels is the work launched in them, launch_time and "
          "launch_delay are means over launch calls, queue_length is weighted by issued work, "
          "host_busy is that of the busiest thread while it records anything, less the time that "
          "it is blocked by the device, memory_peak is the most that a device's allocator had "
          "allocated at once, where memory was recorded. deviation = 0.6745 * (value - median) / "
          "MAD over the rank's peers, those of its role and pipeline stage (Iglewicz and Hoaglin "
          "1993; the mean distance / 1.2533 takes the "
          "MAD's place where that is 0); null of fewer than three peers in a job of several stages "
          "or "
          "roles. An outlier is at least 3.5 of these away and differs by "
          "at least 2% of the median, or by 1 percentage point.",
      .example = "rankscope query traces/ 'FROM rank_metrics WHERE outlier'",
      .columns = SchemaOf<RankMetrics>().columns(),
      .inputs = InputsOfRankMetrics(),
      .derive = DeriveRankMetrics,
  };
  return kAnalysis;
}

}  // namespace rankscope
