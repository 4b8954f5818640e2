#include "analysis/launch_calls.h"
#include "base/saturating.h"

#include <algorithm>

namespace rankscope {

bool IsLaunchCall(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("LaunchKernel") || has("GraphLaunch") || has("LaunchCooperative") || has("LaunchGrid"))
    return true;
  if (name.starts_with("runFunction")) return true;  // MTIA
  const bool is_api = name.starts_with("cu") || name.starts_with("hip");
  if (!is_api || has("Attribute") || has("Node") || has("Param")) return false;
  return has("Memcpy") || has("Memset");
}

std::vector<LaunchCall> LaunchCallsOf(const RankTrace& trace) {
  std::vector<std::uint8_t> launches(trace.strings.size());
  std::vector<std::uint8_t> is_known(trace.strings.size());
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
        call.delay_ns = std::max<std::int64_t>(0, trace.ts_ns[call.first_work] - trace.end_ns(row));
      }
      calls.push_back(call);
    }
  }
  return calls;
}

}  // namespace rankscope
