// Pieces of the work of host threads: each is a node of the replay.
//
// A piece is a stretch of a segment of the trace's graph in which a thread does one kind of work in
// one step. A row with 100 us of its own time, and a gloo exchange with other ranks, are separate
// pieces.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "facts/trace_facts.h"
#include "graph/graph.h"
#include "replay/recording/node_partial.h"

namespace rankscope {

struct HostPiece {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Row row = kNoRow;       // that names it
  Row long_row = kNoRow;  // of a long piece: gives the name of its place
  std::int32_t step = -1;
  Work work = Work::kPython;
};
static_assert(sizeof(HostPiece) == 32);

class HostPieces {
 public:
  // O(rows). 32 bytes a piece until it is taken.
  explicit HostPieces(const TraceFacts& facts);

  // Calls visit(piece) for the pieces of a segment of the graph, in order; for none if the segment
  // has no rows. Call it once per segment, in order within a thread, since the pieces are freed.
  template <typename Visit>
  void Take(SegmentId segment, std::uint32_t track, const Visit& visit) {
    std::deque<HostPiece>& pieces = pieces_[track];
    for (std::uint32_t left = count_[segment]; left > 0; --left) {
      visit(pieces.front());
      pieces.pop_front();
    }
  }
  std::uint32_t CountOf(SegmentId segment) const { return count_[segment]; }

 private:
  std::vector<std::deque<HostPiece>> pieces_;  // by track, in the order of its segments
  std::vector<std::uint32_t> count_;           // by segment
};

}  // namespace rankscope
