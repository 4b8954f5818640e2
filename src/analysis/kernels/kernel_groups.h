// KernelGroups: device work by window and name.
#pragma once

#include <cstdint>
#include <vector>

#include "facts/trace_facts.h"
#include "facts/windows.h"

namespace rankscope {

struct KernelGroup {
  std::int64_t device = 0;
  std::size_t window = 0;
  StringId name = kEmptyString;
  KernelClass kernel_class = KernelClass::kOther;
  std::vector<Row> rows;  // in time order
};

// The device work that begins in one of the windows, grouped by (device, window, name, class) and
// in that order. O(work log work).
std::vector<KernelGroup> GroupKernels(const TraceFacts& facts, const Windows& windows);

}  // namespace rankscope
