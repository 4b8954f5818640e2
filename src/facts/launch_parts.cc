#include "facts/launch_parts.h"

#include <algorithm>
#include <string_view>

namespace rankscope {

LaunchParts::LaunchParts(const RankTrace& trace, const Windows& windows)
    : trace_(trace), is_backward_(trace.row_count()), last_backward_ns_(windows.size(), INT64_MAX) {
  std::vector<bool> is_autograd(trace.strings.size());
  for (StringId id = 0; id < is_autograd.size(); ++id)
    is_autograd[id] = IsAutogradOp(trace.strings.Get(id));
  for (const Track& track : trace.tracks) {
    if (track.domain != Domain::kHost) continue;
    std::int64_t outer_ops = 0;
    std::int64_t outer_of_autograd = 0;
    for (Row row = track.begin; row < track.end; ++row) {
      const Row around = trace.parent[row];
      const bool is_op = trace.kind[row] == EventKind::kCpuOp;
      const bool is_inside = around != kNoRow && is_backward_[around];
      is_backward_[row] = is_inside || (is_op && is_autograd[trace.name[row]]);
      if (is_op && around == kNoRow) {
        ++outer_ops;
        outer_of_autograd += is_backward_[row] ? 1 : 0;
      }
      if (!is_backward_[row] || is_inside) continue;
      const std::size_t window = windows.At(trace.ts_ns[row]);
      if (window == Windows::kNone) continue;
      std::int64_t& last = last_backward_ns_[window];
      last = last == INT64_MAX ? trace.end_ns(row) : std::max(last, trace.end_ns(row));
    }
    if (outer_of_autograd * 2 > outer_ops)
      std::fill(is_backward_.begin() + track.begin, is_backward_.begin() + track.end, true);
  }
}

StepPart LaunchParts::Of(Row call, std::size_t window) const {
  if (call == kNoRow) return StepPart::kForward;
  if (is_backward_[call]) return StepPart::kBackward;
  return trace_.ts_ns[call] >= last_backward_ns_[window] ? StepPart::kAfter : StepPart::kForward;
}

}  // namespace rankscope
