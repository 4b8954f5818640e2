// WindowPieces: the windows of a capture as a sorted list of disjoint pieces, to divide spans in
// time order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "facts/windows.h"

namespace rankscope {

class WindowPieces {
 public:
  explicit WindowPieces(const Windows& windows) {
    for (std::size_t i = 0; i < windows.size(); ++i) {
      for (const Interval& interval : windows[i].intervals) pieces_.push_back({interval, i});
    }
    std::sort(pieces_.begin(), pieces_.end(),
              [](const Piece& a, const Piece& b) { return a.interval.begin < b.interval.begin; });
  }

  // Restarts: the next spans begin at t or later. O(log windows).
  void Rewind(std::int64_t t) {
    const auto next = std::partition_point(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
      return piece.interval.end <= t;
    });
    next_ = static_cast<std::size_t>(next - pieces_.begin());
  }

  // Calls visit(window, length in ns) for every window that contains a part of `span`. Spans must
  // be in order of begin; amortised O(1).
  template <typename Visit>
  void Divide(Interval span, const Visit& visit) {
    DivideInPlace(span,
                  [&](std::size_t window, Interval part) { visit(window, part.end - part.begin); });
  }

  // The same with visit(window, part of the span).
  template <typename Visit>
  void DivideInPlace(Interval span, const Visit& visit) {
    while (next_ < pieces_.size() && pieces_[next_].interval.end <= span.begin) ++next_;
    for (std::size_t i = next_; i < pieces_.size() && pieces_[i].interval.begin < span.end; ++i) {
      const std::int64_t begin = std::max(span.begin, pieces_[i].interval.begin);
      const std::int64_t end = std::min(span.end, pieces_[i].interval.end);
      if (begin < end) visit(pieces_[i].window, Interval{begin, end});
    }
  }

 private:
  struct Piece {
    Interval interval;
    std::size_t window;
  };
  std::vector<Piece> pieces_;
  std::size_t next_ = 0;
};

}  // namespace rankscope
