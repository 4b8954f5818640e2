#include "analysis/launches/queue_length.h"

#include <algorithm>
#include <map>

#include "analysis/launches/queue_changes.h"
#include "facts/trace_facts.h"
#include "facts/window_pieces.h"
#include "stage/reduce.h"
#include "schemas/columns.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::Device(),
      column::Stream(),
      column::StepOfWindow(),
      column::WindowLength(),
      column::Int("issued", "", "kernels, copies and memsets issued in the window"),
      column::Real("mean", "", "mean length of the queue, weighted by time"),
      column::Int("p50", "", "length that is not exceeded for half of the window"),
      column::Int("p90", "", "length that is not exceeded for 90 % of the window"),
      column::Int("max", "", "largest length"),
      column::Int("empty_ns", "ns", "time in which the queue is empty"),
      column::Int("full_ns", "ns", "time in which at least full_at launches wait in it"),
      column::Int("blocked_ns", "ns",
                  "host time inside calls that issue to this queue while it is full"),
      column::Complete(),
  });
  return kColumns;
}

// What a queue did in a window: how long it held how much. Stretches in which it was empty are left
// out, so that memory follows the work and not the lengths or the windows.
struct OfWindow {
  std::vector<std::pair<std::int64_t, std::int64_t>> time_at;  // length, ns
  std::int64_t issued = 0;
  std::int64_t full = 0;
  std::vector<Interval> blocked;
};

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
    const std::size_t window = change.by > 0 ? windows.At(change.t) : Windows::kNone;
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

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const std::int64_t full_at = CountOption(options.values, "full_at");
  Table table("queue_length", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  WindowPieces pieces(windows);
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    for (auto& [w, queue] : Sweep(trace, QueueChangesOf(trace, track), windows, pieces, full_at)) {
      const Window& window = windows[w];
      const std::int64_t duration = window.Duration();
      if (duration <= 0) continue;
      const Statistics statistics = StatisticsOf(queue, duration);
      table.AddRow({track.first, track.second, window.StepValue(), duration, queue.issued,
                    statistics.mean, statistics.p50, statistics.p90, statistics.max,
                    statistics.empty, queue.full, Total(Normalise(std::move(queue.blocked))),
                    window.complete});
    }
  }
  return {table};
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
          "launches waited. Windows in which nothing waited are no rows.",
      .example = "rankscope table queue_length traces/ --set full_at=1000",
      .columns = Columns(),
      .mapper = {.name = "queue_length",
                 .version = 2,
                 .options = {{"full_at", "1024",
                              "from so many waiting launches on the queue counts as full",
                              OptionType::kCount}},
                 .tables = {column::OfMap(Columns())},
                 .map = Map},
      .reducer = JoinRows(QueueLengthAnalysis, 5),
  };
  return kAnalysis;
}

}  // namespace rankscope
