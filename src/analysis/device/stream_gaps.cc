#include "analysis/device/analyses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "facts/idle_splitter.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"
#include "schemas/device.h"
#include "stage/reduce.h"
#include "statistics/statistics.h"
#include "table/move_tables.h"
#include "trace/launch_time.h"

namespace rankscope {
namespace {

constexpr std::string_view kCauseNames[kIdleCauseCount] = {"host", "data",   "sync",   "launch",
                                                           "gap",  "stream", "unknown"};

// Ends of a device's work, to see whether another stream's work ended just before a gap did.
class EndsOfWork {
 public:
  EndsOfWork(const RankTrace& trace, const DeviceTime& device) {
    ends_.reserve(device.work.size());
    for (const Row row : device.work) {
      if (trace.dur_ns[row] > 0) ends_.push_back(trace.end_ns(row));
    }
    std::sort(ends_.begin(), ends_.end());
  }
  // Whether the work that ends a gap, ready to run since `ready`, had waited for another stream.
  // Nothing of the gap's own stream ends inside it, so an end in (gap.begin, gap.end] is another's.
  bool WaitedForOther(Interval gap, std::int64_t ready) const {
    const auto after = std::upper_bound(ends_.begin(), ends_.end(), gap.end);
    if (after == ends_.begin()) return false;
    const std::int64_t last = *(after - 1);
    return last > std::max(gap.begin, ready) && gap.end - last <= kGapLimitNs;
  }

 private:
  std::vector<std::int64_t> ends_;
};

using StreamGapsKey = std::tuple<std::int64_t, std::size_t, std::size_t>;  // stream, window, cause
using Lengths = std::map<StreamGapsKey, std::vector<std::int64_t>>;

// The gaps of one stream.
class GapCollector {
 public:
  GapCollector(const TraceFacts& facts, const EndsOfWork& ends, const Windows& windows,
               Lengths& lengths)
      : trace_(facts.trace()),
        ends_(ends),
        windows_(windows),
        lengths_(lengths),
        splitter_(trace_, facts.host(), facts.missing_work(),
                  [this](IdleCause cause, Interval part) { Put(cause, part); }) {}

  void Collect(const Track& stream) {
    Row previous = kNoRow;
    for (Row row = stream.begin; row < stream.end; ++row) {
      if (!IsDeviceWork(trace_.kind[row]) || trace_.dur_ns[row] <= 0) continue;
      if (previous != kNoRow && trace_.ts_ns[row] > trace_.end_ns(previous))
        AddGap(stream.second, previous, row);
      if (previous == kNoRow || trace_.end_ns(row) > trace_.end_ns(previous)) previous = row;
    }
  }

 private:
  void AddGap(std::int64_t stream, Row previous, Row next) {
    stream_ = stream;
    window_ = windows_.OfWork(next);
    if (window_ == Windows::kNone) return;
    const Interval gap{trace_.end_ns(previous), trace_.ts_ns[next]};
    const Row launch = trace_.link[next];
    // Of work without a known launch nobody knows when it was ready.
    ready_ = launch == kNoRow ? gap.end : HandedOverAt(trace_, next);
    waited_ = ends_.WaitedForOther(gap, ready_);
    waited_ns_ = 0;
    splitter_.Before(gap, previous, next);
    if (waited_ns_ > 0) Add(IdleCause::kOtherStream, waited_ns_);
  }

  // A part of the gap; what lies behind `ready_` was spent on waiting for the other stream.
  void Put(IdleCause cause, Interval part) {
    if (waited_ && part.end > ready_) {
      const std::int64_t begin = std::max(part.begin, ready_);
      waited_ns_ += part.end - begin;
      part.end = begin;
    }
    if (part.begin < part.end) Add(cause, part.end - part.begin);
  }

  void Add(IdleCause cause, std::int64_t length) {
    lengths_[{stream_, window_, static_cast<std::size_t>(cause)}].push_back(length);
  }

  const RankTrace& trace_;
  const EndsOfWork& ends_;
  const Windows& windows_;
  Lengths& lengths_;
  const IdleSplitter splitter_;
  std::int64_t stream_ = 0;
  std::size_t window_ = Windows::kNone;
  std::int64_t ready_ = 0;
  bool waited_ = false;
  std::int64_t waited_ns_ = 0;
};

std::vector<Table> MapStreamGaps(const TraceFacts& facts, const MapOptions& options) {
  const auto& columns = SchemaOf<StreamGaps>();
  auto table = columns.NewPartial("stream_gaps");
  const RankTrace& trace = facts.trace();
  const Windows windows = Windows::OfHost(facts, options.steps);
  std::map<std::int64_t, std::vector<const Track*>> streams;
  for (const Track& track : trace.tracks) {
    if (track.domain == Domain::kDevice) streams[track.first].push_back(&track);
  }
  for (const DeviceTime& device : facts.devices()) {
    const EndsOfWork ends(trace, device);
    Lengths lengths;
    GapCollector collector(facts, ends, windows, lengths);
    for (const Track* stream : streams[device.device]) collector.Collect(*stream);
    std::map<std::pair<std::int64_t, std::size_t>, std::int64_t> totals;
    for (const auto& [key, values] : lengths) {
      for (const std::int64_t value : values) totals[{std::get<0>(key), std::get<1>(key)}] += value;
    }
    for (auto& [key, values] : lengths) {
      const auto [stream, window, cause] = key;
      const Description stats = Describe(values);
      const auto all = static_cast<double>(totals[{stream, window}]);
      table.Add({columns.device = device.device, columns.stream = stream,
                 columns.step = windows[window].StepValue(), columns.cause = kCauseNames[cause],
                 columns.count = stats.count, columns.total_ns = stats.total,
                 columns.share_pct = 100.0 * static_cast<double>(stats.total) / all,
                 columns.min_ns = stats.min, columns.mean_ns = stats.mean,
                 columns.p50_ns = stats.p50, columns.p90_ns = stats.p90, columns.max_ns = stats.max,
                 columns.complete = windows[window].complete});
    }
  }
  return MoveTables(std::move(table));
}

}  // namespace

const Analysis& StreamGapsAnalysis() {
  static const Analysis kAnalysis = {
      .name = "stream_gaps",
      .summary = "gaps between the work of each stream, by cause, with statistics of their lengths",
      .definition =
          "A gap of a stream is the time between the end of all its work so far and the begin of "
          "its next work K; it belongs to the window in which K begins. It is divided as the "
          "device's idle time is (time_breakdown): host, data, sync, launch, gap (the device "
          "changes kernels), unknown. When work of another stream of the device ended inside the "
          "gap, after K's launch had returned and at most 30 us before K began, K had waited for "
          "it: what lies behind the launch is 'stream'. Other streams may work meanwhile, so gaps "
          "are no idle time of the device. Per stream, busy time and gaps sum to the time from its "
          "first begin to its last end.",
      .example = "rankscope table stream_gaps traces/ --ranks 0",
      .columns = SchemaOf<StreamGaps>().columns(),
      .mapper = {.name = "stream_gaps",
                 .version = 2,
                 .tables = {SchemaOf<StreamGaps>().BareColumns()},
                 .map = MapStreamGaps},
      .reducer = JoinRows<StreamGaps>(SchemaOf<StreamGaps>().step),
  };
  return kAnalysis;
}

}  // namespace rankscope
