#include "analysis/memory/memory_owners.h"

#include <algorithm>

namespace rankscope {
namespace {

constexpr int kMostRowsOfAStack = 1000;

bool HasMemory(const RankTrace& trace, const Track& track) {
  for (Row row = track.begin; row < track.end; ++row) {
    if (trace.kind[row] == EventKind::kMemoryInstant) return true;
  }
  return false;
}

void Enter(const RankTrace& trace, Row row, MemoryOwner& owner) {
  switch (trace.kind[row]) {
    case EventKind::kCpuOp:
      owner.op = row;
      break;
    case EventKind::kUserAnnotation:
      if (!trace.name_of(row).starts_with("ProfilerStep")) owner.annotation = row;
      break;
    case EventKind::kPythonFunction:
      owner.frame = row;
      if (trace.name_of(row).starts_with("nn.Module: ")) owner.module = row;
      break;
    default:
      break;
  }
}

}  // namespace

MemoryOwners::MemoryOwners(const RankTrace& trace) {
  if (trace.memory.empty()) return;
  instants_.reserve(trace.memory.size());
  owners_.reserve(trace.memory.size());
  std::vector<MemoryOwner> around;  // what is open inside each row of a track
  for (const Track& track : trace.tracks) {
    if (!HasMemory(trace, track)) continue;
    around.assign(track.end - track.begin, {});
    for (Row row = track.begin; row < track.end; ++row) {
      MemoryOwner& owner = around[row - track.begin];
      const Row parent = trace.parent[row];
      if (parent != kNoRow) owner = around[parent - track.begin];
      Enter(trace, row, owner);
      if (trace.kind[row] != EventKind::kMemoryInstant) continue;
      instants_.push_back(row);
      owners_.push_back(owner);
    }
  }
}

const MemoryOwner& MemoryOwners::Of(Row instant) const {
  const auto place = std::lower_bound(instants_.begin(), instants_.end(), instant);
  return owners_[static_cast<std::size_t>(place - instants_.begin())];
}

std::string StackText(const RankTrace& trace, Row frame, std::int64_t limit) {
  std::string text;
  // Bounded, since a damaged trace may nest without end.
  for (int rows = 0; frame != kNoRow && limit > 0 && rows < kMostRowsOfAStack;
       frame = trace.parent[frame], ++rows) {
    if (trace.kind[frame] != EventKind::kPythonFunction) continue;
    if (!text.empty()) text += " < ";
    text += trace.name_of(frame);
    --limit;
  }
  return text;
}

}  // namespace rankscope
