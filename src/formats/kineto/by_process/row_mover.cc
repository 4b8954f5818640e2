#include "formats/kineto/by_process/row_mover.h"

#include <algorithm>

namespace rankscope::kineto {

RowMover::RowMover(RankTrace& trace) : trace_(trace) {
  for (std::uint32_t i = 0; i < trace.tracks.size(); ++i) {
    const Track& track = trace.tracks[i];
    tracks_.emplace(Key{track.domain, track.first, track.second}, i);
  }
}

RowMover::~RowMover() {
  std::stable_sort(trace_.row_ids.begin(), trace_.row_ids.end(),
                   [](const RowIds& a, const RowIds& b) { return a.source < b.source; });
}

std::uint32_t RowMover::TrackOf(Domain domain, std::int64_t first, std::int64_t second,
                                std::uint32_t like) {
  const auto [place, is_new] =
      tracks_.emplace(Key{domain, first, second}, static_cast<std::uint32_t>(trace_.tracks.size()));
  if (is_new) {
    Track track;
    track.first = first;
    track.second = second;
    track.domain = domain;
    track.name = trace_.tracks[like].name;
    track.process = trace_.tracks[like].process;
    trace_.tracks.push_back(track);
  }
  return place->second;
}

void RowMover::Move(Row row, EventKind kind, std::uint32_t track) {
  trace_.kind[row] = kind;
  const Track from = trace_.tracks[trace_.track[row]];
  const Track& to = trace_.tracks[track];
  trace_.track[row] = track;
  if (from.first == to.first && from.second == to.second) return;
  RowIds ids;
  ids.source = trace_.source[row];
  ids.pid = from.first;
  ids.tid = from.second;
  trace_.row_ids.push_back(ids);
}

}  // namespace rankscope::kineto
