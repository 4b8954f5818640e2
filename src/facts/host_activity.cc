#include "facts/device_time.h"
#include "trace/device_api.h"

namespace rankscope {

bool IsDataLoading(EventKind kind, std::string_view name) {
  if (kind == EventKind::kPythonFunction) return name.starts_with("torch/utils/data/dataloader.py");
  if (kind != EventKind::kCpuOp && kind != EventKind::kUserAnnotation) return false;
  return name.find('/') == std::string_view::npos &&
         (name.find("DataLoader") != std::string_view::npos ||
          name.find("dataloader") != std::string_view::npos ||
          name.find("data_loader") != std::string_view::npos);
}

HostActivity::HostActivity(const RankTrace& trace)
    : blocking_(trace.tracks.size()), data_loading_(trace.tracks.size()) {
  std::vector<std::uint8_t> synchronizes(trace.strings.size());
  std::vector<std::uint8_t> may_load(trace.strings.size());
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    const std::string_view name = trace.strings.Get(id);
    // A free waits for all work of the device before it frees.
    synchronizes[id] = IsSynchronizeCall(name) || IsBlockingFree(name);
    may_load[id] = IsDataLoading(EventKind::kCpuOp, trace.strings.Get(id)) ||
                   IsDataLoading(EventKind::kPythonFunction, trace.strings.Get(id));
  }
  for (std::uint32_t index = 0; index < trace.tracks.size(); ++index) {
    const Track& track = trace.tracks[index];
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (trace.dur_ns[row] <= 0) continue;
      const Interval extent{trace.ts_ns[row], trace.end_ns(row)};
      if (may_load[trace.name[row]] && IsDataLoading(trace.kind[row], trace.name_of(row))) {
        data_loading_[index].push_back(extent);
      }
      if (trace.kind[row] != EventKind::kRuntime) continue;
      // A copy that is over before its call returns has blocked it, as copies to pageable memory
      // do.
      const Row copy = trace.link[row];
      const bool blocking_copy = copy != kNoRow && trace.kind[copy] == EventKind::kMemcpy &&
                                 trace.end_ns(copy) <= extent.end;
      if (synchronizes[trace.name[row]] || blocking_copy) blocking_[index].push_back(extent);
    }
    data_loading_[index] = Normalise(std::move(data_loading_[index]));
    blocking_[index] = Normalise(std::move(blocking_[index]));
  }
}

}  // namespace rankscope
