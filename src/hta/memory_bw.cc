// hta.memory_bw_time_series and hta.memory_bw_summary.
#include <algorithm>
#include <map>
#include <vector>

#include "hta/analyses.h"
#include "hta/description_columns.h"
#include "hta/kernel_types.h"
#include "hta/numpy_sort.h"
#include "hta/options.h"
#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {
namespace {

ColumnSpec NameColumn() { return column::Text("name", "HTA's type of copy or memset"); }

struct MemoryBwTimeSeriesRows : Schema<MemoryBwTimeSeriesRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.memory_bw_time_series";

  IntColumn ts = Int("ts", "us", "when it changes, from the first of all events");
  IntColumn pid = Int("pid", "", "of the copy");
  StringColumn name = Text(NameColumn());
  RealColumn gb_per_s = Real("memory_bw_gbps", "GB/s", "from here on");
};

struct MemoryBwSummaryRows : Schema<MemoryBwSummaryRows, DescribedRows> {
  static constexpr std::string_view kName = "hta.memory_bw_summary";

  StringColumn name = Text(NameColumn());
  DescriptionColumns bandwidth = Described("changes to more than 0 GB/s");
};

// A change of the bandwidth of one type of copies.
struct MemoryBwPoint {
  std::int64_t ts = 0;
  std::int64_t pid = 0;
  std::string_view type;
  double gb_per_s = 0;  // the change, then the sum from here on
};
using Series = std::map<std::string_view, std::vector<MemoryBwPoint>>;  // by HTA's type of copy

double BandwidthOf(const Frame& frame, const Event& event) {
  const EventKind kind = frame.trace->kind[event.row];
  const std::uint32_t args = frame.trace->aux[event.row];
  if ((kind != EventKind::kMemcpy && kind != EventKind::kMemset) || args == kNoAux) return 0;
  return std::max(frame.trace->copies[args].bandwidth_gb_per_s, 0.0);
}

Series SeriesOf(const Frame& frame) {
  std::vector<MemoryBwPoint> points;
  std::vector<MemoryBwPoint> ends;
  KernelTypes types(frame);
  for (const Event& event : frame.events) {
    if (!event.on_stream() || types.Of(event) != KernelType::kMemory) continue;
    const std::string_view type = MemoryTypeOf(frame.NameOf(event));
    const double bandwidth = BandwidthOf(frame, event);
    const std::int64_t pid = IdsOf(frame, event).pid;
    // A copy that takes no whole microsecond takes one, or it would end with its begin.
    const std::int64_t end = event.dur == 0 ? event.ts + 1 : event.end();
    points.push_back({event.ts, pid, type, bandwidth});
    ends.push_back({end, pid, type, -bandwidth});
  }
  points.insert(points.end(), ends.begin(), ends.end());
  SortByTime(points);  // of all types together, as HTA does
  Series series;
  for (const MemoryBwPoint& point : points) {
    std::vector<MemoryBwPoint>& of_type = series[point.type];
    const double before = of_type.empty() ? 0 : of_type.back().gb_per_s;
    of_type.push_back(point);
    of_type.back().gb_per_s += before;
  }
  return series;
}

void MakeSeriesMemoryBw(const Frame& frame, const Options&,
                        TableOf<MemoryBwTimeSeriesRows>& table) {
  const auto& columns = SchemaOf<MemoryBwTimeSeriesRows>();
  for (const auto& [type, points] : SeriesOf(frame)) {
    for (const MemoryBwPoint& point : points) {
      table.Add({columns.ts = point.ts, columns.pid = point.pid, columns.name = type,
                 columns.gb_per_s = point.gb_per_s});
    }
  }
}

void MakeSummaryMemoryBw(const Frame& frame, const Options&, TableOf<MemoryBwSummaryRows>& table) {
  const auto& columns = SchemaOf<MemoryBwSummaryRows>();
  for (const auto& [type, points] : SeriesOf(frame)) {
    std::vector<double> values;
    values.reserve(points.size());
    for (const MemoryBwPoint& point : points) {
      if (point.gb_per_s > 0) values.push_back(point.gb_per_s);
    }
    if (values.empty()) continue;
    AddDescribed(table, columns.bandwidth, Describe(std::move(values)), columns.name = type);
  }
}

constexpr std::string_view kMemoryBwDefinition =
    "HTA's memory kernels by type (\"Memset\", \"Memcpy DtoH\", ...): the bandwidth that the "
    "profiler states for a copy is added when it begins and taken off when it ends; one that takes "
    "no whole microsecond takes one. ";

}  // namespace

const Analysis& MemoryBwTimeSeries() {
  static const Analysis kAnalysis = JoinedOverRanks<MemoryBwTimeSeriesRows>(
      {
          .size = Size::kDetail,
          .summary = "HTA's get_memory_bw_time_series: bandwidth of running copies by type",
          .definition = std::string(kMemoryBwDefinition) + "One row for every change.",
          .example = "rankscope table hta.memory_bw_time_series traces/ --set ranks=0 --format csv",
          .job_options = {Ranks()},
          .make = Filling(MakeSeriesMemoryBw),
      },
      {SchemaOf<MemoryBwTimeSeriesRows>().ts});
  return kAnalysis;
}

const Analysis& MemoryBwSummary() {
  static const Analysis kAnalysis = JoinedOverRanks<MemoryBwSummaryRows>({
      .summary = "HTA's get_memory_bw_summary: statistics of the bandwidth by type of copy",
      .definition = std::string(kMemoryBwDefinition) +
                    "Statistics of the values above 0 after each change: of points, not of time; "
                    "what rounding leaves of a sum that should be 0 counts as a value.",
      .example = "rankscope table hta.memory_bw_summary traces/",
      .job_options = {Ranks()},
      .make = Filling(MakeSummaryMemoryBw),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
