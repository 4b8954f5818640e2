#include "analysis/stream_gaps.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/idle_splitter.h"
#include "analysis/reduce.h"
#include "analysis/statistics.h"
#include "analysis/vocabulary.h"
#include "analysis/windows.h"

namespace rankscope {
namespace {

const std::vector<ColumnSpec>& Columns() {
  static const std::vector<ColumnSpec> kColumns = column::BehindRank({
      column::Device(),
      column::Stream(),
      column::StepOfWindow(),
      column::Text("cause", "host, data, sync, launch, gap, stream or unknown"),
      column::Int("count", "", "parts of gaps with this cause"),
      column::Int("total_ns", "ns", "their summed length"),
      column::Real("share_pct", "%", "total_ns of all gaps of the stream that end in the window"),
      column::Int("min_ns", "ns", "shortest"),
      column::Real("mean_ns", "ns", "total_ns / count"),
      column::Real("p50_ns", "ns", "median"),
      column::Real("p90_ns", "ns", "90th percentile"),
      column::Int("max_ns", "ns", "longest"),
      column::Complete(),
  });
  return kColumns;
}

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
  // Nothing of the gap's own stream ends inside it, so an end in (gap.begin, gap.end] is another's.
  bool OtherEndsWith(Interval gap) const {
    const auto after = std::upper_bound(ends_.begin(), ends_.end(), gap.end);
    if (after == ends_.begin()) return false;
    const std::int64_t last = *(after - 1);
    return last > gap.begin && gap.end - last <= kGapLimitNs;
  }

 private:
  std::vector<std::int64_t> ends_;
};

using Key = std::tuple<std::int64_t, std::size_t, std::size_t>;  // stream, window, cause
using Lengths = std::map<Key, std::vector<std::int64_t>>;

void CollectGaps(const TraceFacts& facts, const Track& stream, const EndsOfWork& ends,
                 const Windows& windows, Lengths& lengths) {
  const RankTrace& trace = facts.trace();
  Interval gap;
  std::size_t window = Windows::kNone;
  const IdleSplitter splitter(trace, facts.host(), [&](IdleCause cause, Interval part) {
    const bool was_queued = cause == IdleCause::kKernelGap || cause == IdleCause::kUnknown;
    if (was_queued && part.end == gap.end && ends.OtherEndsWith(gap))
      cause = IdleCause::kOtherStream;
    lengths[{stream.second, window, static_cast<std::size_t>(cause)}].push_back(part.end -
                                                                                part.begin);
  });
  Row previous = kNoRow;
  for (Row row = stream.begin; row < stream.end; ++row) {
    if (!IsDeviceWork(trace.kind[row]) || trace.dur_ns[row] <= 0) continue;
    if (previous != kNoRow && trace.ts_ns[row] > trace.end_ns(previous)) {
      gap = {trace.end_ns(previous), trace.ts_ns[row]};
      window = windows.At(gap.end);
      if (window != Windows::kNone) splitter.Before(gap, previous, row);
    }
    if (previous == kNoRow || trace.end_ns(row) > trace.end_ns(previous)) previous = row;
  }
}

std::vector<Table> Map(const TraceFacts& facts, const MapOptions& options) {
  Table table("stream_gaps", column::OfMap(Columns()));
  const RankTrace& trace = facts.trace();
  const Windows windows(trace, options.steps);
  for (const DeviceTime& device : facts.devices()) {
    const EndsOfWork ends(trace, device);
    Lengths lengths;
    for (const Track& track : trace.tracks) {
      if (track.domain == Domain::kDevice && track.first == device.device)
        CollectGaps(facts, track, ends, windows, lengths);
    }
    std::map<std::pair<std::int64_t, std::size_t>, std::int64_t> totals;
    for (const auto& [key, values] : lengths) {
      for (const std::int64_t value : values) totals[{std::get<0>(key), std::get<1>(key)}] += value;
    }
    for (auto& [key, values] : lengths) {
      const auto [stream, window, cause] = key;
      const Description stats = Describe(values);
      const auto all = static_cast<double>(totals[{stream, window}]);
      table.AddRow({device.device, stream, windows[window].StepValue(), kCauseNames[cause],
                    stats.count, stats.total, 100.0 * static_cast<double>(stats.total) / all,
                    stats.min, stats.mean, stats.p50, stats.p90, stats.max,
                    windows[window].complete});
    }
  }
  return {table};
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
          "changes kernels), unknown; what was queued is 'stream' when work of another stream of "
          "the device ended inside the gap, at most 30 us before K began: K had waited for it. "
          "Other streams may work meanwhile, so gaps are no idle time of the device. Per stream, "
          "busy time and gaps sum to the time from its first begin to its last end.",
      .example = "rankscope table stream_gaps traces/ --ranks 0",
      .columns = Columns(),
      .map = Map,
      .reduce =
          [](PartialStream& partials, const JobContext& job, const Options&) {
            return JoinRanks(StreamGapsAnalysis(), partials, job, {}, 5);
          },
  };
  return kAnalysis;
}

}  // namespace rankscope
