// PhaseTimes: when a rank loads data, runs forward, backward and the optimizer.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/interval.h"
#include "facts/trace_facts.h"
#include "facts/windows.h"

namespace rankscope {

enum class HostPhase : std::uint8_t { kDataLoading, kForward, kBackward, kOptimizer, kOther };
inline constexpr int kPhaseCount = 5;
std::string_view ToString(HostPhase phase);  // "data loading", "forward", ...

// Phases of the host's wall-clock time, disjoint; kOther is the rest of the recording. Phases are
// recognised on any thread by:
//   data loading  a range of a data loader (device_time.h)
//   backward      ops "autograd::engine::evaluate_function: ...", ops of autograd's nodes
//                 ("MmBackward0", "torch::autograd::AccumulateGrad"), annotations named after
//                 "backward" (not after forward, too: those hold both), the Python frames of
//                 Tensor.backward and torch.autograd; short pauses in which the program's main
//                 thread begins nothing are part of it
//   optimizer     annotations "Optimizer.step#...", "Optimizer.zero_grad#...", or named after
//                 "optimizer"; Python frames of torch.optim's step
//   forward       annotations named after "forward" and nn.Module frames; a step without any: the
//                 time from the main thread's first op to the begin of backward, or to its last op
//                 where there is no backward
// and if two overlap, the first in this order gets the time.
std::array<IntervalSet, kPhaseCount> PhaseTimes(const TraceFacts& facts, const Windows& windows);

}  // namespace rankscope
