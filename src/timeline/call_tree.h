// The call tree: nests the spans of a track, computes self times, and merges calls with equal
// paths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "timeline/rank_timeline.h"

namespace rankscope {

// A span, clipped to a window.
struct NestedSpan {
  static constexpr std::size_t kNoParent = SIZE_MAX;
  std::size_t parent = kNoParent;  // index of the innermost span around it; smaller than its own
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;  // without spans inside it; overlaps count once
};

// Sorts `spans` by begin, longer ones first, and finds the parent of each. O(n log n).
std::vector<NestedSpan> Nest(std::vector<TimelineSpan>& spans, TimelineWindow window);

// Merges spans of any number of tracks: one node per path from an outermost call.
class CallTree {
 public:
  struct Node {
    std::int64_t parent = -1;  // index of the parent, smaller than its own; below 0: none
    std::uint32_t name = 0;
    std::uint8_t kind = 0;
    bool is_rest = false;  // represents smaller children of one parent
    std::int64_t total_ns = 0;
    std::int64_t self_ns = 0;
    std::int64_t count = 0;
  };

  void Add(std::span<const TimelineSpan> spans, std::span<const NestedSpan> nested);

  std::size_t size() const { return nodes_.size(); }
  // The `most` nodes with the largest totals, parents before children. If some children of a node
  // are missing, a rest node has their sum.
  std::vector<Node> Heaviest(std::size_t most) const;

 private:
  std::vector<Node> nodes_;
  std::map<std::tuple<std::int64_t, std::uint8_t, std::uint32_t>, std::size_t> place_of_;
};

}  // namespace rankscope
