#include "trace/call_tree.h"

#include <algorithm>

namespace rankscope {

void FrameTree::Open(const RankTrace& trace, Row row) {
  const auto frame = static_cast<std::uint32_t>(rows_.size());
  rows_.push_back(row);
  around_.push_back(at_[row]);
  self_ns_.push_back(0);
  at_[row] = frame;
  if (trace.dur_ns[row] == 0) return;
  ChargeInnermostUntil(trace.ts_ns[row]);
  open_.push_back(frame);
}

void FrameTree::CloseUntil(const RankTrace& trace, std::int64_t t) {
  while (!open_.empty() && trace.end_ns(rows_[open_.back()]) <= t) {
    ChargeInnermostUntil(trace.end_ns(rows_[open_.back()]));
    open_.pop_back();
  }
}

void FrameTree::ChargeInnermostUntil(std::int64_t t) {
  if (!open_.empty() && t > told_) self_ns_[open_.back()] += t - told_;
  told_ = std::max(told_, t);
}

std::vector<bool> OutermostOfGroup(const FrameTree& frames,
                                   const std::vector<std::uint32_t>& group_of,
                                   std::uint32_t group_count) {
  std::vector<bool> is_outermost(frames.size());
  std::vector<std::uint32_t> open_of_group(group_count, 0);
  // Frames come depth first, so those around a frame are what is left of the ones before it.
  std::vector<std::uint32_t> open;
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame) {
    while (!open.empty() && open.back() != frames.around(frame)) {
      --open_of_group[group_of[open.back()]];
      open.pop_back();
    }
    is_outermost[frame] = open_of_group[group_of[frame]]++ == 0;
    open.push_back(frame);
  }
  return is_outermost;
}

}  // namespace rankscope
