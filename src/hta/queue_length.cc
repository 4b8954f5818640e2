// hta.queue_length_time_series, hta.queue_length_summary and hta.time_blocked_on_full_queue.
#include <algorithm>
#include <vector>

#include "hta/analyses.h"
#include "hta/options.h"
#include "hta/queue_points.h"
#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {
namespace {

// Calls visit(points of one stream) for each stream.
template <typename Visit>
void ForEachStream(std::span<const QueuePoint> points, Visit visit) {
  while (!points.empty()) {
    const auto end = std::find_if(points.begin(), points.end(), [&](const QueuePoint& point) {
      return point.stream != points.front().stream;
    });
    const auto count = static_cast<std::size_t>(end - points.begin());
    visit(points.first(count));
    points = points.subspan(count);
  }
}

void MakeSeries(const Frame& frame, const Options&, Table& table) {
  for (const QueuePoint& point : QueuePointsOf(frame)) {
    const ProcessIds ids = IdsOf(frame, *point.work);
    table.AddRow(
        {frame.IndexOf(*point.event), point.ts, ids.pid, ids.tid, point.stream, point.length});
  }
}

void MakeSummary(const Frame& frame, const Options&, Table& table) {
  ForEachStream(QueuePointsOf(frame), [&](std::span<const QueuePoint> points) {
    std::vector<double> lengths;
    lengths.reserve(points.size());
    for (const QueuePoint& point : points) lengths.push_back(static_cast<double>(point.length));
    std::vector<Value> cells = {points.front().stream};
    for (const Value& cell : CellsOf(Describe(std::move(lengths)))) cells.push_back(cell);
    table.AddRow(cells);
  });
}

std::int64_t DurationOf(const Frame& frame) {
  const auto [first, last] =
      std::minmax_element(frame.events.begin(), frame.events.end(),
                          [](const Event& a, const Event& b) { return a.ts < b.ts; });
  return frame.events.empty() ? 0 : last->ts - first->ts;
}

void MakeBlocked(const Frame& frame, const Options& options, Table& table) {
  const std::int64_t most = CountOf(options, "max_queue_length");
  const std::int64_t trace_duration = DurationOf(frame);
  std::vector<Value> row;
  ForEachStream(QueuePointsOf(frame), [&](std::span<const QueuePoint> points) {
    bool is_full = false;
    std::int64_t blocked = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].length < most) continue;
      is_full = true;
      if (i + 1 < points.size()) blocked += points[i + 1].ts - points[i].ts;
    }
    if (!is_full) return;
    const Value share =
        trace_duration == 0
            ? Value(kNull)
            : Value(static_cast<double>(blocked) / static_cast<double>(trace_duration));
    row = {points.front().stream, blocked, share};  // HTA keeps one stream per rank: the last
  });
  if (!row.empty()) table.AddRow(row);
}

constexpr std::string_view kDefinition =
    "The queue of a stream grows by one when a launching call begins whose work is in the file, "
    "and "
    "shrinks by one when that work begins; calls are cudaLaunchKernel(ExC), cuLaunchKernel(Ex), "
    "cudaMemcpyAsync, cudaMemsetAsync, MTIA's job submission and their hip counterparts. ";

ColumnSpec StreamColumn() { return {"stream", ColumnType::kInt64, "", "stream of the device"}; }

}  // namespace

const Analysis& QueueLengthTimeSeries() {
  static const Analysis kAnalysis = JoinedOverRanks({
      .name = "hta.queue_length_time_series",
      .size = Size::kDetail,
      .summary = "HTA's get_queue_length_time_series: launched work that has not begun, by stream",
      .definition = std::string(kDefinition) + "One row for every change.",
      .example = "rankscope table hta.queue_length_time_series traces/ --set ranks=0 --format csv",
      .columns = {{"index", ColumnType::kInt64, "", "event in the file: the call or the work"},
                  {"ts", ColumnType::kInt64, "us", "when it changes, from the first of all events"},
                  {"pid", ColumnType::kInt64, "", "of the work"},
                  {"tid", ColumnType::kInt64, "", "of the work"},
                  StreamColumn(),
                  {"queue_length", ColumnType::kInt64, "", "from here on"}},

      .job_options = {Ranks()},
      .make = MakeSeries,
  });
  return kAnalysis;
}

const Analysis& QueueLengthSummary() {
  std::vector<ColumnSpec> columns = {StreamColumn()};
  for (ColumnSpec& column : DescriptionColumns("changes of the queue")) columns.push_back(column);
  static const Analysis kAnalysis = JoinedOverRanks({
      .name = "hta.queue_length_summary",
      .summary = "HTA's get_queue_length_summary: statistics of queue lengths by stream",
      .definition = std::string(kDefinition) +
                    "Statistics of the length after each change: of points, not of time.",
      .example = "rankscope table hta.queue_length_summary traces/",
      .columns = columns,

      .job_options = {Ranks()},
      .make = MakeSummary,
  });
  return kAnalysis;
}

const Analysis& TimeBlockedOnFullQueue() {
  static const Analysis kAnalysis = JoinedOverRanks({
      .name = "hta.time_blocked_on_full_queue",
      .summary = "HTA's get_time_spent_blocked_on_full_queue: time with a full queue",
      .definition = std::string(kDefinition) +
                    "Time with max_queue_length or more in the queue, and its share of the time "
                    "from the first event's begin to the last's. Of several streams that were full "
                    "HTA keeps the last of each rank; so does this.",
      .example =
          "rankscope table hta.time_blocked_on_full_queue traces/ --set max_queue_length=100",
      .columns = {StreamColumn(),
                  {"duration_at_max_queue_length", ColumnType::kInt64, "us", "time when full"},
                  {"relative_duration_at_max_queue_length", ColumnType::kDouble, "",
                   "share of the trace's duration, 0 to 1"}},
      .options = {MaxQueueLength()},
      .job_options = {Ranks()},
      .make = MakeBlocked,
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
