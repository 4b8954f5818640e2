// ClassSweep: which kernel classes run at the same time on a device, window by window.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "facts/trace_facts.h"
#include "facts/windows.h"

namespace rankscope {

// Bit k is set while work of KernelClass k runs.
using ClassSet = std::uint32_t;
static_assert(kKernelClassCount <= 32);

// For each window the time, in ns, of every set of classes that ran together; without the empty
// set, so the times of a window sum to the device's busy time in it. O(work log work).
std::vector<std::map<ClassSet, std::int64_t>> SweepClasses(const TraceFacts& facts,
                                                           const DeviceTime& device,
                                                           const Windows& windows);

}  // namespace rankscope
