// Long stretches of a host thread's own work.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// Ops, calls and what is between them: not waits, loaders, allocators, compilers, the collector.
bool IsOwnHostWork(Work work);

// Shorter ones are what launching takes.
inline constexpr std::int64_t kLongStretchNs = 100'000;

// So long without a launch a thread does something else than launching, in however many stretches.
inline constexpr std::int64_t kLongRunNs = 1'000'000;

struct HostStretches {
  explicit HostStretches(const RuleInput& input);

  // Long stretches of steps in ops, frames, annotations, or none of these, ascending; also of steps
  // that do not count, whose hosts may hold up devices in those that do. Ops that launch device
  // work are none, here or (in less than kLongRunNs) elsewhere: that is what launching takes; nor
  // are calls of the device's API, and what profilers do for themselves. And all stretches, however
  // short, of a run of kLongRunNs and more in which a thread works on and launches nothing, as far
  // as they are in a function of the user's that launches nothing anywhere. And long calls of
  // allocators where these are work as any other (AllocatorTraffic::IsOfOnlyStep).
  std::vector<NodeId> nodes;
  // Of `nodes` those during most of which another thread of the rank works, and those whose names
  // say that they wait for a device: they wait. Ascending.
  std::vector<NodeId> waiting;
  bool Waits(NodeId node) const;
};

// Ranges of XLA, PJRT and JAX in which a host thread waits until a device has done its work:
// "BufferSequencingEvent::Execute", "block_until_ready".
bool IsWaitForDevice(std::string_view name);

}  // namespace rankscope
