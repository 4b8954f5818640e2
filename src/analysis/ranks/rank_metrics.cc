#include "analysis/ranks/rank_metrics.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/copies/copies.h"
#include "analysis/device/overlap.h"
#include "analysis/device/utilisation.h"
#include "analysis/host/host_breakdown.h"
#include "analysis/launches/launches.h"
#include "analysis/launches/queue_length.h"
#include "analysis/memory/memory_peaks.h"
#include "analysis/ranks/measures.h"
#include "analysis/roofline/flop_utilisation.h"
#include "analysis/steps/step_times.h"
#include "analysis/steps/time_breakdown.h"
#include "schemas/columns.h"
#include "statistics/statistics.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      column::Rank(),
      column::Text("metric", "what is measured"),
      column::Text("unit", "unit of value and median"),
      column::Real("value", "", "the rank's value; null when it is unknown"),
      column::Real("median", "", "median over ranks"),
      column::Real("deviation", "",
                   "robust standard deviations from the median; null when ranks do not differ"),
      {"outlier", ColumnType::kBool, "", "true when the rank stands apart from the others"},
  };
  return kColumns;
}

struct Metric {
  const Analysis* analysis;
  Measure measure;
  bool zero_without_rows = false;  // a rank of which the table says nothing has none of it
  // Columns that tell parts of a rank apart, of which the largest value counts.
  std::vector<std::string_view> largest_of = {};
  std::string_view not_of = {};  // a part that does not count
};

constexpr auto kPerStep = MeasureKind::kPerStep;
constexpr auto kRatio = MeasureKind::kRatio;
constexpr auto kMean = MeasureKind::kMean;
constexpr auto kMax = MeasureKind::kMax;

// What is compared over ranks, in the order that a reader looks for it.
const std::vector<Metric>& Metrics() {
  static const std::vector<Metric> kMetrics = {
      {&StepTimesAnalysis(), {"step_time", "ns", kPerStep, {"duration_ns"}, "", 1}},
      {&TimeBreakdownAnalysis(), {"compute", "%", kRatio, {"compute_ns"}, "duration_ns", 100}},
      {&TimeBreakdownAnalysis(),
       {"exposed_communication", "%", kRatio, {"exposed_communication_ns"}, "duration_ns", 100}},
      {&TimeBreakdownAnalysis(),
       {"exposed_copy", "%", kRatio, {"exposed_copy_ns"}, "duration_ns", 100}},
      {&TimeBreakdownAnalysis(),
       {"idle",
        "%",
        kRatio,
        {"idle_host_ns", "idle_data_ns", "idle_sync_ns", "idle_launch_ns", "idle_gap_ns",
         "idle_stream_ns", "unknown_ns"},
        "duration_ns",
        100}},
      {&TimeBreakdownAnalysis(), {"idle_host", "%", kRatio, {"idle_host_ns"}, "duration_ns", 100}},
      {&TimeBreakdownAnalysis(), {"idle_data", "%", kRatio, {"idle_data_ns"}, "duration_ns", 100}},
      {&TimeBreakdownAnalysis(), {"idle_sync", "%", kRatio, {"idle_sync_ns"}, "duration_ns", 100}},
      {&OverlapAnalysis(),
       {"communication_hidden", "%", kRatio, {"communication_hidden_ns"}, "communication_ns", 100}},
      {&OverlapAnalysis(), {"communication", "ns/step", kPerStep, {"communication_ns"}, "", 1}},
      {&OverlapAnalysis(),
       {"communication_hidden_time", "ns/step", kPerStep, {"communication_hidden_ns"}, "", 1}},
      {&TimeBreakdownAnalysis(),
       {"communication_exposed_time", "ns/step", kPerStep, {"exposed_communication_ns"}, "", 1}},
      {&UtilisationAnalysis(), {"device_busy", "%", kRatio, {"busy_ns"}, "duration_ns", 100}},
      {&UtilisationAnalysis(),
       {"sm_efficiency", "%", kMean, {"sm_efficiency_pct"}, "duration_ns", 1}},
      {&UtilisationAnalysis(), {"occupancy", "%", kMean, {"occupancy_pct"}, "kernel_ns", 1}},
      {&FlopUtilisationAnalysis(), {"hfu", "%", kMean, {"hfu_pct"}, "duration_ns", 1}},
      // Work that begins in a step may be left over from the one before.
      {&StepTimesAnalysis(),
       {"kernels", "1/step", kPerStep, {"launched_work"}, "launched_work", 1}},
      {&LaunchesAnalysis(), {"launch_time", "ns", kRatio, {"total_ns"}, "count", 1}},
      {&LaunchesAnalysis(),
       {"launch_delay", "ns", kMean, {"delay_mean_ns"}, "count", 1, "without_work"}},
      {&QueueLengthAnalysis(), {"queue_length", "", kMean, {"mean"}, "issued", 1}},
      {&CopiesAnalysis(), {"copy_bytes", "bytes/step", kPerStep, {"bytes"}, "", 1}, true},
      {&CopiesAnalysis(), {"copy_time", "ns/step", kPerStep, {"total_ns"}, "", 1}, true},
      {&HostBreakdownAnalysis(),
       {"host_busy", "%", kRatio, {"busy_ns"}, "duration_ns", 100},
       false,
       {"process", "thread"}},
      {&MemoryPeaksAnalysis(),
       {"memory_peak", "bytes", kMax, {"peak_bytes"}, "", 1},
       false,
       {"device_type"},
       "cpu"},
  };
  return kMetrics;
}

const std::vector<const Analysis*>& Inputs() {
  static const std::vector<const Analysis*> kInputs = [] {
    std::vector<const Analysis*> inputs = {&StepTimesAnalysis()};
    for (const Metric& metric : Metrics()) {
      if (std::find(inputs.begin(), inputs.end(), metric.analysis) == inputs.end())
        inputs.push_back(metric.analysis);
    }
    return inputs;
  }();
  return kInputs;
}

// Ranks that differ by next to nothing always have some that differ "significantly".
bool IsLarge(double difference, double median, std::string_view unit) {
  return unit == "%" ? std::abs(difference) >= 1 : std::abs(difference) >= 0.02 * std::abs(median);
}

std::set<std::int64_t> RanksIn(const Table& table) {
  const std::size_t column = *table.Find("rank");
  std::set<std::int64_t> ranks;
  for (std::size_t row = 0; row < table.row_count(); ++row) ranks.insert(table.Int(row, column));
  return ranks;
}

void AddRows(Table& table, const Measure& measure, const std::map<std::int64_t, double>& by_rank,
             const std::vector<std::int64_t>& ranks) {
  std::vector<double> values;
  values.reserve(by_rank.size());
  for (const auto& [rank, value] : by_rank) values.push_back(value);
  const auto deviations = RobustDeviations(values);
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  const double median = Quantile(std::span<const double>(sorted), 0.5);
  std::size_t next = 0;
  for (const std::int64_t rank : ranks) {
    if (!by_rank.contains(rank)) {
      table.AddRow({rank, measure.metric, measure.unit, kNull, median, kNull, false});
      continue;
    }
    const double value = values[next];
    const auto& deviation = deviations[next++];
    const bool is_outlier = deviation && std::abs(*deviation) >= kOutlierDeviation &&
                            IsLarge(value - median, median, measure.unit);
    table.AddRow({rank, measure.metric, measure.unit, value, median,
                  deviation ? Value(*deviation) : Value(kNull), is_outlier});
  }
}

Result<Table> Derive(std::span<const Table* const> inputs, const JobContext& job, const Options&) {
  const CountedWindows counted(*inputs.front());
  std::vector<std::int64_t> ranks;
  for (const Capture& capture : job.captures) {
    if (capture.selected && (ranks.empty() || ranks.back() != capture.rank))
      ranks.push_back(capture.rank);
  }
  const auto input = [&](const Analysis& analysis) -> const Table& {
    const auto place = std::find(Inputs().begin(), Inputs().end(), &analysis);
    return *inputs[static_cast<std::size_t>(place - Inputs().begin())];
  };
  const Table& devices = input(TimeBreakdownAnalysis());
  Table table("rank_metrics", Columns());
  for (const Metric& metric : Metrics()) {
    const Table& source = input(*metric.analysis);
    std::map<std::int64_t, double> by_rank;
    for (const auto& [part, values] :
         MeasureRanks(source, counted, metric.largest_of, metric.measure)) {
      if (!metric.not_of.empty() && part == metric.not_of) continue;
      for (const auto& [rank, value] : values.by_rank) {
        const auto [place, is_new] = by_rank.try_emplace(rank, value);
        if (!is_new) place->second = std::max(place->second, value);
      }
    }
    if (by_rank.empty()) continue;
    if (metric.zero_without_rows) {
      std::set<std::int64_t> known = RanksIn(source);
      for (const std::int64_t rank : RanksIn(devices)) {
        if (!known.contains(rank)) by_rank[rank] = 0;
      }
    }
    AddRows(table, metric.measure, by_rank, ranks);
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
          "launch_delay are means over launch calls, "
          "queue_length is weighted by issued work, host_busy is that of the busiest thread while "
          "it "
          "records anything, less the time that it is blocked by the device, memory_peak is the "
          "most that a device's allocator had "
          "allocated at once, where memory was recorded. deviation = 0.6745 * "
          "(value - median) / MAD "
          "over the ranks (Iglewicz and Hoaglin 1993; the mean distance / 1.2533 takes the MAD's "
          "place "
          "where that is 0). An outlier is at least 3.5 of these away and differs by at least 2 % "
          "of the median, or by 1 percentage point.",
      .example = "rankscope query traces/ 'FROM rank_metrics WHERE outlier'",
      .columns = Columns(),
      .inputs = Inputs(),
      .derive = Derive,
  };
  return kAnalysis;
}

}  // namespace rankscope
