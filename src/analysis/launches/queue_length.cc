#include "analysis/launches/analyses.h"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/launches/queue_changes.h"
#include "analysis/launches/track_windows.h"
#include "facts/trace_facts.h"
#include "facts/window_pieces.h"
#include "schemas/launches.h"
#include "stage/reduce.h"
#include "table/move_tables.h"

namespace rankscope {
namespace {

// What a queue did in a window: how long it held how much. Stretches in which it was empty are left
// out, so that memory follows the work and not the lengths or the windows.
struct OfWindow {
  std::vector<std::pair<std::int64_t, std::int64_t>> time_at;  // length, ns
  std::int64_t issued = 0;
  std::int64_t full = 0;
  std::vector<Interval> blocked;
};

// Of a window with extent.
struct Statistics {
  double mean = 0;
  std::int64_t p50 = 0;
  std::int64_t p90 = 0;
  std::int64_t max = 0;
  std::int64_t empty = 0;
};

Statistics StatisticsOf(OfWindow& queue, std::int64_t duration) {
  Statistics result;
  std::sort(queue.time_at.begin(), queue.time_at.end());
  result.empty = duration;
  double weighted = 0;
  for (const auto& [length, ns] : queue.time_at) {
    result.empty -= ns;
    weighted += static_cast<double>(length) * static_cast<double>(ns);
  }
  result.mean = weighted / static_cast<double>(duration);
  const auto quantile = [&](double q) {
    const double wanted = q * static_cast<double>(duration);
    std::int64_t seen = result.empty;
    std::int64_t reached = 0;
    for (const auto& [length, ns] : queue.time_at) {
      if (static_cast<double>(seen) >= wanted) break;
      seen += ns;
      reached = length;
    }
    return reached;
  };
  result.p50 = quantile(0.5);
  result.p90 = quantile(0.9);
  if (!queue.time_at.empty()) result.max = queue.time_at.back().first;
  return result;
}

// By window, those in which nothing waited left out.
std::map<std::size_t, OfWindow> Sweep(const RankTrace& trace,
                                      const std::vector<QueueChange>& changes,
                                      const Windows& windows, WindowPieces& pieces,
                                      std::int64_t full_at) {
  std::map<std::size_t, OfWindow> queues;
  if (changes.empty()) return queues;
  std::int64_t length = 0;
  std::int64_t launches = 0;
  std::int64_t since = changes.front().t;
  pieces.Rewind(since);
  for (const QueueChange& change : changes) {
    if (length > 0) {
      pieces.Divide({since, change.t}, [&](std::size_t window, std::int64_t ns) {
        queues[window].time_at.emplace_back(length, ns);
        if (launches >= full_at) queues[window].full += ns;
      });
    }
    since = change.t;
    const std::size_t window = change.by > 0 ? windows.OfCall(change.t) : Windows::kNone;
    if (window != Windows::kNone) {
      ++queues[window].issued;
      if (change.is_first && launches >= full_at) {
        queues[window].blocked.push_back({trace.ts_ns[change.call], trace.end_ns(change.call)});
      }
    }
    length += change.by;
    if (change.is_first) launches += change.by;
  }
  return queues;
}

std::vector<Table> MapQueueLength(const TraceFacts& facts, const MapOptions& options) {
  const std::int64_t full_at = CountOption(options.values, "full_at");
  const auto& columns = SchemaOf<QueueLength>();
  auto table = columns.NewPartial("queue_length");
  const RankTrace& trace = facts.trace();
  TrackWindows windows_of(facts, options.steps);
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    const Windows& windows = windows_of.Of(track);
    WindowPieces pieces(windows);
    for (auto& [w, queue] : Sweep(trace, QueueChangesOf(trace, track), windows, pieces, full_at)) {
      const Window& window = windows[w];
      const std::int64_t duration = window.Duration();
      const bool has_extent = duration > 0;
      const Statistics statistics = has_extent ? StatisticsOf(queue, duration) : Statistics();
      const auto known = [&](auto value) { return has_extent ? Value(value) : Value(kNull); };
      table.Add({columns.device = track.first, columns.stream = track.second,
                 columns.step = window.StepValue(), columns.duration_ns = known(duration),
                 columns.issued = queue.issued, columns.mean = known(statistics.mean),
                 columns.p50 = known(statistics.p50), columns.p90 = known(statistics.p90),
                 columns.max = known(statistics.max), columns.empty_ns = known(statistics.empty),
                 columns.full_ns = known(queue.full),
                 columns.blocked_ns = Total(Normalise(std::move(queue.blocked))),
                 columns.complete = window.complete});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& QueueLengthAnalysis() {
  static const Analysis kAnalysis = {
      .name = "queue_length",
      .summary = "how much issued work waits in each stream, and when the queue is full",
      .definition =
          "The length of a stream's queue is the number of kernels, copies and memsets whose "
          "launching call has begun and that have not begun themselves; every kernel of a graph is "
          "queued by the graph's launch. All statistics are weighted by time: mean = integral of "
          "the length over the window / duration, p50 is the smallest length not exceeded for half "
          "of the window. An empty queue while the device is idle means that the host is late; one "
          "that is full (CUDA's holds about 1,024 launches, of which a graph is one) stops the "
          "host: blocked_ns is the united time of the calls that began when at least full_at "
          "launches waited. What is issued belongs to the step that launches it; where the device "
          "did nothing for that step that took time of its own, there is no window and all else "
          "is null. Windows in which nothing waited and for which nothing was issued are no rows.",
      .example = "rankscope table queue_length traces/ --set full_at=1000",
      .columns = SchemaOf<QueueLength>().columns(),
      .mapper = {.name = "queue_length",
                 .version = 4,
                 .options = {{"full_at", "1024",
                              "from so many waiting launches on the queue counts as full",
                              OptionType::kCount}},
                 .tables = {SchemaOf<QueueLength>().BareColumns()},
                 .map = MapQueueLength},
      .reducer = JoinRows<QueueLength>(SchemaOf<QueueLength>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
