// The part of a training step in which a call is made: forward, backward, or after the backward.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/windows.h"
#include "trace/step_part.h"
#include "trace/trace.h"

namespace rankscope {

// By autograd's ops. O(rows) to make, O(1) to ask.
class LaunchParts {
 public:
  LaunchParts(const RankTrace& trace, const Windows& windows);

  // For a row of a host thread; kNoRow (a kernel with unknown launch) is forward. `window` contains
  // its begin.
  StepPart Of(Row call, std::size_t window) const;

 private:
  const RankTrace& trace_;
  std::vector<bool> is_backward_;               // per row
  std::vector<std::int64_t> last_backward_ns_;  // per window; INT64_MAX: none
};

}  // namespace rankscope
