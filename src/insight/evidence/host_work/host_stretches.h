// Long stretches of a host thread's own work.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// Ops, calls and the time between them: not waits, loaders, allocators, compilers, the collector.
bool IsOwnHostWork(Work work);

// Shorter ones are the cost of launching.
inline constexpr std::int64_t kLongStretchNs = 100'000;

// A thread without a launch for this long does other work, in any number of stretches.
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
  // The waiting ones of `nodes`: another thread of the rank works during most of their time, or
  // their names mean a wait for a device. Ascending.
  std::vector<NodeId> waiting;
  bool Waits(NodeId node) const;
  bool Has(NodeId node) const;
};

// Ranges of XLA, PJRT and JAX in which a host thread waits for a device:
// "BufferSequencingEvent::Execute", "block_until_ready".
bool IsWaitForDevice(std::string_view name);

}  // namespace rankscope
