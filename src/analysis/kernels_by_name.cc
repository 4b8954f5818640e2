#include "analysis/kernels_by_name.h"

#include <algorithm>
#include <map>
#include <set>

#include "analysis/kernel_class.h"
#include "analysis/reduce.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = {
      {"name", ColumnType::kString, "", "name of the kernel or copy as recorded"},
      {"class", ColumnType::kString, "", "compute, communication or copy"},
      {"ranks", ColumnType::kInt64, "", "ranks on which it ran"},
      {"count", ColumnType::kInt64, "", "how often it ran, on all ranks"},
      {"total_ns", ColumnType::kInt64, "ns",
       "sum of its durations; work that overlaps counts more than once"},
      {"share_pct", ColumnType::kDouble, "%", "total of all device work that is this one's"},
      {"mean_ns", ColumnType::kDouble, "ns", "total / count"},
      {"min_ns", ColumnType::kInt64, "ns", "shortest"},
      {"max_ns", ColumnType::kInt64, "ns", "longest"},
      {"slowest_rank", ColumnType::kInt64, "", "the rank with the largest mean"},
      {"slowest_mean_ns", ColumnType::kDouble, "ns", "that rank's mean"},
      {"bytes", ColumnType::kInt64, "bytes", "bytes copied or set; null where none is stated"},
  };
  return kColumns;
}

struct Sum {
  std::int64_t count = 0;
  std::int64_t total = 0;
  std::int64_t shortest = INT64_MAX;
  std::int64_t longest = 0;
  std::int64_t bytes = -1;

  void Add(const Sum& other) {
    count += other.count;
    total += other.total;
    shortest = std::min(shortest, other.shortest);
    longest = std::max(longest, other.longest);
    if (other.bytes >= 0) bytes = std::max<std::int64_t>(bytes, 0) + other.bytes;
  }
};

std::vector<Table> Map(const RankTrace& trace, const MapOptions& options) {
  std::map<std::pair<StringId, WorkClass>, Sum> sums;
  const WorkClassifier classes(trace);
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (!IsDeviceWork(trace.kind[row]) || trace.dur_ns[row] < 0) continue;
      if (options.steps) {
        const int step = trace.StepAt(trace.ts_ns[row]);
        if (step < 0 || !Wants(options.steps, trace.steps[static_cast<std::size_t>(step)].number))
          continue;
      }
      const std::int64_t duration = trace.dur_ns[row];
      const bool has_bytes = trace.kind[row] != EventKind::kKernel && trace.aux[row] != kNoAux;
      sums[{trace.name[row], classes.Of(row)}].Add(
          {1, duration, duration, duration, has_bytes ? trace.copies[trace.aux[row]].bytes : -1});
    }
  }
  Table table("kernels_by_name", {{"name", ColumnType::kString},
                                  {"class", ColumnType::kString},
                                  {"count"},
                                  {"total_ns"},
                                  {"min_ns"},
                                  {"max_ns"},
                                  {"bytes"}});
  for (const auto& [key, sum] : sums) {
    table.AddRow({trace.strings.Get(key.first), ToString(key.second), sum.count, sum.total,
                  sum.shortest, sum.longest, sum.bytes >= 0 ? Value(sum.bytes) : Value(kNull)});
  }
  return {table};
}

Result<Table> Reduce(PartialStream& partials, const JobContext& job, const Options& options) {
  RS_ASSIGN_OR_RETURN(const std::int64_t top, IntOption(options, "top"));
  struct OverRanks {
    Sum all;
    std::map<std::int64_t, Sum> by_rank;
  };
  std::map<std::pair<std::string, std::string>, OverRanks> sums;
  std::int64_t everything = 0;
  RS_RETURN_IF_ERROR(
      ForEachRow(partials, job, [&](const Capture& capture, const Table& table, std::size_t row) {
        const Sum sum{table.Int(row, 2), table.Int(row, 3), table.Int(row, 4), table.Int(row, 5),
                      table.IsNull(row, 6) ? -1 : table.Int(row, 6)};
        OverRanks& entry =
            sums[{std::string(table.String(row, 0)), std::string(table.String(row, 1))}];
        entry.all.Add(sum);
        entry.by_rank[capture.rank].Add(sum);
        everything += sum.total;
      }));
  const auto mean = [](const Sum& sum) {
    return static_cast<double>(sum.total) / static_cast<double>(sum.count);
  };
  Table table("kernels_by_name", Columns());
  for (const auto& [key, entry] : sums) {
    const auto slowest = std::max_element(
        entry.by_rank.begin(), entry.by_rank.end(),
        [&](const auto& a, const auto& b) { return mean(a.second) < mean(b.second); });
    const Value share =
        everything > 0
            ? Value(100.0 * static_cast<double>(entry.all.total) / static_cast<double>(everything))
            : Value(kNull);
    table.AddRow({std::string_view(key.first), std::string_view(key.second),
                  static_cast<std::int64_t>(entry.by_rank.size()), entry.all.count, entry.all.total,
                  share, mean(entry.all), entry.all.shortest, entry.all.longest, slowest->first,
                  mean(slowest->second),
                  entry.all.bytes >= 0 ? Value(entry.all.bytes) : Value(kNull)});
  }
  table.SortBy({{4, true}, {0}});
  if (top > 0) table.Truncate(static_cast<std::size_t>(top));
  return table;
}

}  // namespace

const Analysis& KernelsByNameAnalysis() {
  static const Analysis kAnalysis = {
      .name = "kernels_by_name",
      .summary = "kernels, copies and memsets by name, over all ranks",
      .definition =
          "Device work grouped by its full name and class. share_pct = 100 * total / total of all "
          "device work of the job (durations "
          "summed, so work that overlaps counts more than once). The slowest rank is the one with "
          "the largest mean duration.",
      .example = "rankscope table kernels_by_name traces/ --set top=20",
      .columns = Columns(),
      .options = {{"top", "0", "keep the names with the largest totals; 0 = all", false}},
      .map = Map,
      .reduce = Reduce,
  };
  return kAnalysis;
}

}  // namespace rankscope
