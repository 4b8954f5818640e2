// hta.queue_length_time_series, hta.queue_length_summary and hta.time_blocked_on_full_queue.
#include <algorithm>
#include <optional>
#include <vector>

#include "hta/analyses.h"
#include "hta/description_columns.h"
#include "hta/options.h"
#include "hta/queue_points.h"
#include "hta/ranks.h"
#include "hta/stats.h"

namespace rankscope::hta {
namespace {

ColumnSpec QueueStreamColumn() { return column::Int("stream", "", "stream of the device"); }

struct QueueLengthTimeSeriesRows : Schema<QueueLengthTimeSeriesRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.queue_length_time_series";

  IntColumn index = Int("index", "", "event in the file: the call or the work");
  IntColumn ts = Int("ts", "us", "when it changes, from the first of all events");
  IntColumn pid = Int("pid", "", "of the work");
  IntColumn tid = Int("tid", "", "of the work");
  IntColumn stream = Int(QueueStreamColumn());
  IntColumn queue_length = Int("queue_length", "", "from here on");
};

struct QueueLengthSummaryRows : Schema<QueueLengthSummaryRows, DescribedRows> {
  static constexpr std::string_view kName = "hta.queue_length_summary";

  IntColumn stream = Int(QueueStreamColumn());
  DescriptionColumns lengths = Described("changes of the queue");
};

struct TimeBlockedRows : Schema<TimeBlockedRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.time_blocked_on_full_queue";

  IntColumn stream = Int(QueueStreamColumn());
  IntColumn duration = Int("duration_at_max_queue_length", "us", "time when full");
  RealColumn share =
      Real("relative_duration_at_max_queue_length", "", "share of the trace's duration, 0 to 1");
};

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

void MakeSeriesQueueLength(const Frame& frame, const Options&,
                           TableOf<QueueLengthTimeSeriesRows>& table) {
  const auto& columns = SchemaOf<QueueLengthTimeSeriesRows>();
  for (const QueuePoint& point : QueuePointsOf(frame)) {
    const ProcessIds ids = IdsOf(frame, *point.work);
    table.Add({columns.index = frame.IndexOf(*point.event), columns.ts = point.ts,
               columns.pid = ids.pid, columns.tid = ids.tid, columns.stream = point.stream,
               columns.queue_length = point.length});
  }
}

void MakeSummaryQueueLength(const Frame& frame, const Options&,
                            TableOf<QueueLengthSummaryRows>& table) {
  const auto& columns = SchemaOf<QueueLengthSummaryRows>();
  ForEachStream(QueuePointsOf(frame), [&](std::span<const QueuePoint> points) {
    std::vector<double> lengths;
    lengths.reserve(points.size());
    for (const QueuePoint& point : points) lengths.push_back(static_cast<double>(point.length));
    AddDescribed(table, columns.lengths, Describe(std::move(lengths)),
                 columns.stream = points.front().stream);
  });
}

std::int64_t DurationOf(const Frame& frame) {
  const auto [first, last] =
      std::minmax_element(frame.events.begin(), frame.events.end(),
                          [](const Event& a, const Event& b) { return a.ts < b.ts; });
  return frame.events.empty() ? 0 : last->ts - first->ts;
}

void MakeBlocked(const Frame& frame, const Options& options, TableOf<TimeBlockedRows>& table) {
  const std::int64_t most = CountOf(options, "max_queue_length");
  const std::int64_t trace_duration = DurationOf(frame);
  struct Blocked {
    std::int64_t stream = 0;
    std::int64_t duration = 0;
  };
  std::optional<Blocked> last;  // HTA keeps one stream per rank: the last
  ForEachStream(QueuePointsOf(frame), [&](std::span<const QueuePoint> points) {
    bool is_full = false;
    std::int64_t blocked = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (points[i].length < most) continue;
      is_full = true;
      if (i + 1 < points.size()) blocked += points[i + 1].ts - points[i].ts;
    }
    if (is_full) last = {points.front().stream, blocked};
  });
  if (!last) return;
  const Value share =
      trace_duration == 0
          ? Value(kNull)
          : Value(static_cast<double>(last->duration) / static_cast<double>(trace_duration));
  const auto& columns = SchemaOf<TimeBlockedRows>();
  table.Add(
      {columns.stream = last->stream, columns.duration = last->duration, columns.share = share});
}

constexpr std::string_view kQueueLengthDefinition =
    "The queue of a stream grows by one when a launching call begins whose work is in the file, "
    "and shrinks by one when that work begins; calls are cudaLaunchKernel(ExC), "
    "cuLaunchKernel(Ex), cudaMemcpyAsync, cudaMemsetAsync, MTIA's job submission and their hip "
    "counterparts. ";

}  // namespace

const Analysis& QueueLengthTimeSeries() {
  static const Analysis kAnalysis = JoinedOverRanks<QueueLengthTimeSeriesRows>(
      {
          .size = Size::kDetail,
          .summary =
              "HTA's get_queue_length_time_series: launched work that has not begun, by stream",
          .definition = std::string(kQueueLengthDefinition) + "One row for every change.",
          .example =
              "rankscope table hta.queue_length_time_series traces/ --set ranks=0 --format csv",
          .job_options = {Ranks()},
          .make = Filling(MakeSeriesQueueLength),
      },
      {SchemaOf<QueueLengthTimeSeriesRows>().ts});
  return kAnalysis;
}

const Analysis& QueueLengthSummary() {
  static const Analysis kAnalysis = JoinedOverRanks<QueueLengthSummaryRows>({
      .summary = "HTA's get_queue_length_summary: statistics of queue lengths by stream",
      .definition = std::string(kQueueLengthDefinition) +
                    "Statistics of the length after each change: of points, not of time.",
      .example = "rankscope table hta.queue_length_summary traces/",
      .job_options = {Ranks()},
      .make = Filling(MakeSummaryQueueLength),
  });
  return kAnalysis;
}

const Analysis& TimeBlockedOnFullQueue() {
  static const Analysis kAnalysis = JoinedOverRanks<TimeBlockedRows>({
      .summary = "HTA's get_time_spent_blocked_on_full_queue: time with a full queue",
      .definition = std::string(kQueueLengthDefinition) +
                    "Time with max_queue_length or more in the queue, and its share of the time "
                    "from the first event's begin to the last's. Of several streams that were full "
                    "HTA keeps the last of each rank; so does this.",
      .example =
          "rankscope table hta.time_blocked_on_full_queue traces/ --set max_queue_length=100",
      .options = {MaxQueueLength()},
      .job_options = {Ranks()},
      .make = Filling(MakeBlocked),
  });
  return kAnalysis;
}

}  // namespace rankscope::hta
