#include "analysis/step_times.h"

#include <algorithm>

#include "analysis/reduce.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      {"rank", ColumnType::kInt64, "", "global rank"},
      {"capture", ColumnType::kInt64, "", "which recording of the rank, in time order"},
      {"step", ColumnType::kInt64, "",
       "number in the ProfilerStep mark, or counted from 0 when inferred"},
      {"start_ns", ColumnType::kInt64, "ns",
       "begin of the window, from the job's origin, by the rank's own clock"},
      {"duration_ns", ColumnType::kInt64, "ns", "length of the window"},
      {"vs_median_pct", ColumnType::kDouble, "%",
       "duration above (+) or below (-) the median of the job's complete steps"},
      {"device_work", ColumnType::kInt64, "",
       "kernels, copies and memsets that begin in the window, on all devices"},
      {"launched_work", ColumnType::kInt64, "",
       "kernels, copies and memsets whose launching call begins in the window"},
      {"inferred", ColumnType::kBool, "", "found by periodicity, without a ProfilerStep mark"},
      {"complete", ColumnType::kBool, "",
       "false when the recording cut the step off: it is left out of statistics"},
  };
  return kColumns;
}

std::vector<Table> Map(const RankTrace& trace, const MapOptions& options) {
  std::vector<ColumnSpec> columns(Columns().begin() + 2, Columns().end());
  columns.erase(columns.begin() + 3);  // vs_median_pct needs all ranks
  Table table("step_times", columns);
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
    table.AddRow({step.number, trace.meta.base_ns + step.begin_ns, step.end_ns - step.begin_ns,
                  begun[i], launched[i], step.inferred != 0, step.complete != 0});
  }
  return {table};
}

Result<Table> Reduce(PartialStream& partials, const JobContext& job, const Options&) {
  struct Entry {
    std::int64_t rank, capture;
    std::vector<std::int64_t> numbers;
    bool inferred, complete;
  };
  std::vector<Entry> entries;
  RS_RETURN_IF_ERROR(
      ForEachRow(partials, job, [&](const Capture& capture, const Table& table, std::size_t row) {
        Entry entry{capture.rank, capture.index, {}, table.Bool(row, 5), table.Bool(row, 6)};
        for (std::size_t column = 0; column < 5; ++column)
          entry.numbers.push_back(table.Int(row, column));
        entries.push_back(std::move(entry));
      }));
  std::vector<std::int64_t> durations;
  for (const Entry& entry : entries) {
    if (entry.complete) durations.push_back(entry.numbers[2]);
  }
  double median = 0;
  if (!durations.empty()) {
    std::sort(durations.begin(), durations.end());
    const std::size_t middle = durations.size() / 2;
    median = durations.size() % 2 == 1 ? static_cast<double>(durations[middle])
                                       : (static_cast<double>(durations[middle - 1]) +
                                          static_cast<double>(durations[middle])) /
                                             2;
  }
  Table table("step_times", Columns());
  for (const Entry& entry : entries) {
    Value difference = kNull;
    if (median > 0 && entry.complete)
      difference = 100 * (static_cast<double>(entry.numbers[2]) - median) / median;
    table.AddRow({entry.rank, entry.capture, entry.numbers[0], entry.numbers[1] - job.origin_ns,
                  entry.numbers[2], difference, entry.numbers[3], entry.numbers[4], entry.inferred,
                  entry.complete});
  }
  table.SortBy({{0}, {1}, {3}});
  return table;
}

}  // namespace

const Analysis& StepTimesAnalysis() {
  static const Analysis kAnalysis = {
      .name = "step_times",
      .summary = "how long every step took on every rank",
      .definition =
          "A step is the window [begin of ProfilerStep n, begin of ProfilerStep n+1); the last one "
          "ends at the later of its mark's "
          "end and the end of the last device work launched inside it. Without marks, steps are "
          "inferred from the period of "
          "the thread that launches most work, and marked. vs_median_pct = 100 * (duration / "
          "median - 1), the median over all "
          "complete steps of all ranks.",
      .example = "rankscope table step_times traces/",
      .columns = Columns(),
      .map = Map,
      .reduce = Reduce,
  };
  return kAnalysis;
}

}  // namespace rankscope
