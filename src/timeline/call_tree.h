// What calls what: spans of a track that lie in others, the time that is their own, and calls that
// came the same way merged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "timeline/rank_timeline.h"

namespace rankscope {

// A span within a window: clipped to it.
struct NestedSpan {
  static constexpr std::size_t kNoParent = SIZE_MAX;
  std::size_t parent = kNoParent;  // the innermost span that holds it; comes before it
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;  // without what lies in it, where that overlaps counted once
};

// Sorts `spans` by begin, the longer first, and says of each what it lies in. O(n log n).
std::vector<NestedSpan> Nest(std::vector<TimelineSpan>& spans, TimelineWindow window);

// Spans of any number of tracks: a node for every way from an outermost call that was taken.
class CallTree {
 public:
  struct Node {
    std::int64_t parent = -1;  // its place, before the node's; below 0: none
    std::uint32_t name = 0;
    std::uint8_t kind = 0;
    bool is_rest = false;  // stands for smaller ones of one parent
    std::int64_t total_ns = 0;
    std::int64_t self_ns = 0;
    std::int64_t count = 0;
  };

  void Add(std::span<const TimelineSpan> spans, std::span<const NestedSpan> nested);

  std::size_t size() const { return nodes_.size(); }
  // The `most` nodes with the longest totals, a parent before its children; where a node lacks some
  // of its children, a rest has their sum.
  std::vector<Node> Heaviest(std::size_t most) const;

 private:
  std::vector<Node> nodes_;
  std::map<std::tuple<std::int64_t, std::uint8_t, std::uint32_t>, std::size_t> place_of_;
};

}  // namespace rankscope
