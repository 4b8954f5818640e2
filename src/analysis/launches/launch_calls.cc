#include "analysis/launches/launch_calls.h"

#include <algorithm>

#include "base/saturating.h"
#include "trace/device_api.h"

namespace rankscope {

namespace {

// When a stream was done with all work before a row of it.
class StreamEnds {
 public:
  explicit StreamEnds(const RankTrace& trace) : trace_(trace), ends_(trace.tracks.size()) {
    for (std::size_t i = 0; i < trace.tracks.size(); ++i) {
      const Track& track = trace.tracks[i];
      if (track.domain != Domain::kDevice) continue;
      ends_[i].reserve(track.end - track.begin);
      std::int64_t until = INT64_MIN;
      for (Row row = track.begin; row < track.end; ++row) {
        ends_[i].push_back(until);
        if (IsDeviceWork(trace.kind[row])) until = std::max(until, trace.end_ns(row));
      }
    }
  }
  // INT64_MIN when `work` is the first.
  std::int64_t Before(Row work) const {
    const std::uint32_t track = trace_.track[work];
    return ends_[track][work - trace_.tracks[track].begin];
  }

 private:
  const RankTrace& trace_;
  std::vector<std::vector<std::int64_t>> ends_;
};

}  // namespace

std::vector<LaunchCall> LaunchCallsOf(const RankTrace& trace) {
  std::vector<std::uint8_t> launches(trace.strings.size());
  std::vector<std::uint8_t> is_known(trace.strings.size());
  const StreamEnds stream_ends(trace);
  std::vector<LaunchCall> calls;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.kind[row] != EventKind::kRuntime || trace.dur_ns[row] < 0) continue;
      LaunchCall call{.call = row};
      for (const RowPair& pair : trace.KernelsOf(row)) {
        if (!IsDeviceWork(trace.kind[pair.to])) continue;
        ++call.works;
        AddSaturating(call.work_ns, std::max<std::int64_t>(trace.dur_ns[pair.to], 0));
        if (call.first_work == kNoRow || trace.ts_ns[pair.to] < trace.ts_ns[call.first_work])
          call.first_work = pair.to;
      }
      if (call.works == 0) {
        const StringId name = trace.name[row];
        if (!is_known[name]) {
          is_known[name] = 1;
          launches[name] = IsLaunchCall(trace.strings.Get(name));
        }
        if (!launches[name]) continue;
      } else {
        const std::int64_t begin = trace.ts_ns[call.first_work];
        call.delay_ns = std::max<std::int64_t>(0, begin - trace.end_ns(row));
        const std::int64_t free = std::max(trace.end_ns(row), stream_ends.Before(call.first_work));
        call.free_delay_ns = std::max<std::int64_t>(0, begin - free);
      }
      calls.push_back(call);
    }
  }
  return calls;
}

}  // namespace rankscope
