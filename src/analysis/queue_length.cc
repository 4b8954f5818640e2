#include "analysis/queue_length.h"

#include <algorithm>

#include "analysis/queue_changes.h"
#include "analysis/reduce.h"
#include "analysis/vocabulary.h"
#include "analysis/window_pieces.h"

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
      column::Int("full_ns", "ns", "time in which it holds at least full_at"),
      column::Int("blocked_ns", "ns",
                  "host time inside calls that issue to this queue while it is full"),
      column::Complete(),
  });
  return kColumns;
}

// Time spent at each length.
struct Lengths {
  std::vector<std::int64_t> time_at;
  std::int64_t issued = 0;
  std::vector<Interval> blocked;

  void Add(std::size_t length, std::int64_t ns) {
    if (time_at.size() <= length) time_at.resize(length + 1, 0);
    time_at[length] += ns;
  }
  std::int64_t Quantile(double q, std::int64_t duration) const {
    std::int64_t seen = 0;
    for (std::size_t length = 0; length < time_at.size(); ++length) {
      seen += time_at[length];
      if (static_cast<double>(seen) >= q * static_cast<double>(duration))
        return static_cast<std::int64_t>(length);
    }
    return static_cast<std::int64_t>(time_at.size()) - 1;
  }
};

std::vector<Lengths> Sweep(const RankTrace& trace, const std::vector<QueueChange>& changes,
                           const Windows& windows, std::int64_t full_at) {
  std::vector<Lengths> lengths(windows.size());
  WindowPieces pieces(windows);
  std::int64_t length = 0;
  std::int64_t since = trace.begin_ns;
  const auto advance = [&](std::int64_t t) {
    pieces.Divide({since, t}, [&](std::size_t window, std::int64_t ns) {
      lengths[window].Add(static_cast<std::size_t>(length), ns);
    });
    since = t;
  };
  for (const QueueChange& change : changes) {
    advance(change.t);
    if (change.by > 0) {
      const std::size_t window = windows.At(change.t);
      if (window != Windows::kNone) {
        ++lengths[window].issued;
        if (length >= full_at)
          lengths[window].blocked.push_back({trace.ts_ns[change.call], trace.end_ns(change.call)});
      }
    }
    length += change.by;
  }
  advance(trace.finish_ns);
  return lengths;
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  const std::int64_t full_at = CountOption(options.values, "full_at");
  Table table("queue_length", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kDevice) continue;
    const std::vector<QueueChange> changes = QueueChangesOf(trace, track);
    if (changes.empty()) continue;
    std::vector<Lengths> lengths = Sweep(trace, changes, windows, full_at);
    for (std::size_t w = 0; w < windows.size(); ++w) {
      const Window& window = windows[w];
      Lengths& of_window = lengths[w];
      const std::int64_t duration = window.Duration();
      if (duration <= 0) continue;
      double weighted = 0;
      std::int64_t full = 0;
      for (std::size_t i = 0; i < of_window.time_at.size(); ++i) {
        weighted += static_cast<double>(i) * static_cast<double>(of_window.time_at[i]);
        if (static_cast<std::int64_t>(i) >= full_at) full += of_window.time_at[i];
      }
      // Lengths that lasted no time at all do not count as reached.
      while (of_window.time_at.size() > 1 && of_window.time_at.back() == 0)
        of_window.time_at.pop_back();
      const std::int64_t empty = of_window.time_at.empty() ? duration : of_window.time_at.front();
      table.AddRow({track.first, track.second, window.StepValue(), duration, of_window.issued,
                    weighted / static_cast<double>(duration), of_window.Quantile(0.5, duration),
                    of_window.Quantile(0.9, duration),
                    static_cast<std::int64_t>(of_window.time_at.size()) - 1, empty, full,
                    Total(Normalise(std::move(of_window.blocked))), window.complete});
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
          "that is full (CUDA's holds about 1,024 launches) stops the host: blocked_ns is the "
          "united time of the calls that began when at least full_at were queued.",
      .example = "rankscope table queue_length traces/ --set full_at=1000",
      .columns = Columns(),
      .options = {{"full_at", "1024", "from this length on the queue counts as full", true,
                   OptionType::kCount}},
      .map = Map,
      .reduce =
          [](PartialStream& partials, const JobContext& job, const Options&) {
            return JoinRanks(QueueLengthAnalysis(), partials, job, {}, 5);
          },
  };
  return kAnalysis;
}

}  // namespace rankscope
