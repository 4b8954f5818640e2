#include <algorithm>

#include "analysis/device_time.h"

namespace rankscope {

bool IsSynchronizeCall(std::string_view name) {
  return name.find("Synchronize") != std::string_view::npos ||
         name.find("synchronize") != std::string_view::npos;
}

bool IsDataLoading(std::string_view name) {
  return name.find("DataLoader") != std::string_view::npos ||
         name.find("dataloader") != std::string_view::npos ||
         name.find("data_loader") != std::string_view::npos;
}

HostActivity::HostActivity(const RankTrace& trace)
    : blocking_(trace.tracks.size()), data_loading_(trace.tracks.size()) {
  std::vector<std::uint8_t> synchronizes(trace.strings.size());
  std::vector<std::uint8_t> loads(trace.strings.size());
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    synchronizes[id] = IsSynchronizeCall(trace.strings.Get(id));
    loads[id] = IsDataLoading(trace.strings.Get(id));
  }
  for (std::uint32_t index = 0; index < trace.tracks.size(); ++index) {
    const Track& track = trace.tracks[index];
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.dur_ns[row] <= 0) continue;
      const Interval extent{trace.ts_ns[row], trace.end_ns(row)};
      if (loads[trace.name[row]]) data_loading_[index].push_back(extent);
      if (trace.kind[row] != EventKind::kRuntime) continue;
      // A copy that is over before its call returns has blocked it, as copies to pageable memory
      // do.
      const Row copy = trace.link[row];
      const bool blocking_copy = copy != kNoRow && trace.kind[copy] == EventKind::kMemcpy &&
                                 trace.end_ns(copy) <= extent.end;
      if (synchronizes[trace.name[row]] || blocking_copy) blocking_[index].push_back(extent);
    }
    data_loading_[index] = Normalise(std::move(data_loading_[index]));
  }
}

bool HostActivity::BlockedAt(std::uint32_t track, std::int64_t t) const {
  const auto& calls = blocking_[track];
  const auto after =
      std::upper_bound(calls.begin(), calls.end(), t,
                       [](std::int64_t time, const Interval& call) { return time < call.begin; });
  return after != calls.begin() && t <= std::prev(after)->end;
}

}  // namespace rankscope
