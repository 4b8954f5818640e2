// What host threads do, in pieces: each is a node of the replay.
//
// A piece is a stretch of a segment of the trace's graph in which a thread does one kind of work in
// one step. What takes 100 us on its own, and an exchange of gloo with other ranks, is a piece of
// its own.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "facts/trace_facts.h"
#include "graph/graph.h"
#include "replay/node_partial.h"

namespace rankscope {

struct HostPiece {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  Row row = kNoRow;       // that names it
  Row long_row = kNoRow;  // of a long one, that names its place
  std::int32_t step = -1;
  Work work = Work::kPython;
};
static_assert(sizeof(HostPiece) == 32);

class HostPieces {
 public:
  // O(rows). 32 bytes a piece until it is taken.
  explicit HostPieces(const TraceFacts& facts);

  // Calls visit(piece) for those of a segment of the graph, in order; for none of a segment without
  // rows. Each segment is asked for once, those of a thread in order: the pieces are forgotten.
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
