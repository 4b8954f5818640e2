// HTA's column "iteration": the number of the ProfilerStep that an event belongs to.
#pragma once

#include <vector>

#include "hta/frame.h"

namespace rankscope::hta {

// The profiler steps of a frame that nothing was filtered from, in HTA's microseconds. Every event
// that is named like a step counts, also one that the profiler projects on a device.
class Iterations {
 public:
  explicit Iterations(const Frame& whole);

  // The number of the step that holds a time, of several that of the last one in the file; kNone
  // outside of all. O(log steps).
  std::int64_t At(std::int64_t ts) const;

 private:
  // From here on, until the next change.
  struct Change {
    std::int64_t ts = 0;
    std::int64_t number = kNone;
  };
  std::vector<Change> changes_;
};

}  // namespace rankscope::hta
