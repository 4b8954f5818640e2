// Specifications as a back end of the agent's devices: their standard metrics become the numbers
// that all makers share.
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
  std::string root;                 // prefix of /sys and /proc
  std::vector<std::string> worker;  // as in live_reader.h
  Clock clock = MonotonicNow;
};

// Refuses a file that users other than its owner may write to (kInvalidArgument), and an invalid
// file (kBadData, with line and remedy). A changed file is read again before the next reading; if
// it is invalid by then, the last good one stays in use. `vendor_` metrics have no place among the
// numbers and are left out. Two readings turn byte counters into rates.
Result<std::unique_ptr<device::Backend>> OpenProbeBackend(ProbeBackendOptions options);

// OK if all of them can be opened.
Status CheckSpecs(const std::vector<std::string>& files);

}  // namespace rankscope::probe
