#include "op_cost/batches.h"

namespace rankscope {

Batches::Batches(const RankTrace& trace) : trace_(trace) {
  for (StringId id = 0; id < trace.strings.size(); ++id) {
    const auto sums = ParseBatchSums(trace.strings.Get(id));
    if (!sums) continue;
    sums_.resize(trace.strings.size());
    sums_[id] = sums;
  }
  if (sums_.empty()) return;
  annotations_ = std::make_unique<const FrameTree>(trace, [&](Row row) {
    return trace.kind[row] == EventKind::kUserAnnotation && sums_[trace.name[row]].has_value();
  });
}

std::optional<StringId> Batches::Around(Row row) const {
  if (annotations_ == nullptr) return std::nullopt;
  const std::uint32_t frame = annotations_->at(row);
  if (frame == FrameTree::kNone) return std::nullopt;
  return trace_.name[annotations_->row(frame)];
}

}  // namespace rankscope
