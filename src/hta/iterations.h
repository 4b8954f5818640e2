// HTA's column "iteration": the number of the ProfilerStep of an event.
#pragma once

#include <vector>

#include "hta/frame.h"

namespace rankscope::hta {

// The profiler steps of an unfiltered frame, in HTA's microseconds. Every event named like a step
// counts, including those that the profiler projects onto a device.
class Iterations {
 public:
  explicit Iterations(const Frame& whole);

  // The number of the step that contains a time; if several do, that of the last one in the file.
  // kNone outside of all steps. O(log steps).
  std::int64_t At(std::int64_t ts) const;

 private:
  // Valid from here until the next change.
  struct Change {
    std::int64_t ts = 0;
    std::int64_t number = kNone;
  };
  std::vector<Change> changes_;
};

}  // namespace rankscope::hta
