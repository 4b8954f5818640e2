#include "facts/places/forward_ops.h"

namespace rankscope {

std::vector<Row> ForwardOpsOf(const RankTrace& trace) {
  std::vector<Row> forward;
  if (trace.forward_backward.empty()) return forward;
  forward.assign(trace.row_count(), kNoRow);
  // Backwards, so that the first link of a backward op with several is the one that stays.
  for (std::size_t i = trace.forward_backward.size(); i-- > 0;)
    forward[trace.forward_backward[i].to] = trace.forward_backward[i].from;
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    for (Row row = track.begin; row < track.end; ++row) {
      if (forward[row] == kNoRow && trace.parent[row] != kNoRow)
        forward[row] = forward[trace.parent[row]];
    }
  }
  return forward;
}

}  // namespace rankscope
