// Specifications as a back end of the agent's devices: their standard metrics are the numbers that
// all makers share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/device.h"
#include "probe/source/reading.h"

namespace rankscope::probe {

struct ProbeBackendOptions {
  std::vector<std::string> files;   // .probe files
  std::string root;                 // stands before /sys and /proc
  std::vector<std::string> worker;  // as live_reader.h has it
  Clock clock = MonotonicNow;
};

// A file that others than its owner may write to is refused (kInvalidArgument), and so is one that
// is wrong (kBadData, with line and remedy). A file that changes is read anew before the next
// reading; where it is wrong then, the last good one stays. `vendor_` metrics have no place among
// the numbers and are left out; counters of bytes become rates by two readings.
Result<std::unique_ptr<device::Backend>> OpenProbeBackend(ProbeBackendOptions options);

// Whether all of them could be opened.
Status CheckSpecs(const std::vector<std::string>& files);

}  // namespace rankscope::probe
