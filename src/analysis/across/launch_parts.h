// In which part of a training step a call is made: forward, backward, or when the backward is over.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/windows.h"
#include "trace/trace.h"

namespace rankscope {

enum class StepPart : std::uint8_t {
  kForward,   // and everything in steps without a backward
  kBackward,  // inside an op of the autograd engine, or on a thread that mostly runs it
  kAfter,     // elsewhere, behind the last backward of the step
};
inline constexpr int kStepPartCount = 3;

// By autograd's ops. O(rows) to make, O(1) to ask.
class LaunchParts {
 public:
  LaunchParts(const RankTrace& trace, const Windows& windows);

  // Of a row of a host thread; kNoRow (a kernel whose launch is not known) is forward. `window` is
  // where it begins.
  StepPart Of(Row call, std::size_t window) const;

 private:
  const RankTrace& trace_;
  std::vector<bool> is_backward_;               // per row
  std::vector<std::int64_t> last_backward_ns_;  // per window; INT64_MAX: none
};

// An op of the autograd engine: "autograd::engine::evaluate_function: MmBackward0", "MmBackward0",
// "torch::autograd::AccumulateGrad".
bool IsAutogradOp(std::string_view name);

}  // namespace rankscope
