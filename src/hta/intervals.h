// Unions of events as HTA computes them.
#pragma once

#include <cstdint>
#include <vector>

#include "hta/frame.h"

namespace rankscope::hta {

struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

// The union of spans; spans that touch are merged. A span may end before it begins (an event that
// contains no whole microsecond); it then reduces the total by one microsecond.
std::vector<Span> MergeSpans(std::vector<Span> spans);

std::int64_t TotalOf(const std::vector<Span>& spans);

// A point where the set of running events changes; `change` is the weight of what begins (positive)
// or ends (negative) there.
struct Change {
  std::int64_t time = 0;
  std::int64_t change = 0;
};

// The changes of disjoint spans: all begins, then all ends.
void AppendChanges(const std::vector<Span>& spans, std::int64_t weight, std::vector<Change>& to);

// Calls visit(running, duration) between each change and the next, in time order; `running` is the
// sum of the changes so far.
template <typename Visit>
void Sweep(std::vector<Change>& changes, Visit visit);

void SortChanges(std::vector<Change>& changes);

template <typename Visit>
void Sweep(std::vector<Change>& changes, Visit visit) {
  SortChanges(changes);
  std::int64_t running = 0;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    running += changes[i].change;
    visit(running, changes[i + 1].time - changes[i].time);
  }
}

}  // namespace rankscope::hta
