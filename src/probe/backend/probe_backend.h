// Specifications as a back end of the agent's devices: their standard metrics become the numbers
// that all makers share.
#pragma once

#include <cstdint>
#include <map>
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

class ProbeBackend : public device::Backend {
 public:
  // How often each file was read anew, since it changed. A device that the older version had and
  // this one does not have was not lost.
  virtual std::map<std::string, std::uint64_t> versions() const = 0;
};

// Refuses a file that users other than its owner may write to (kInvalidArgument), and an invalid
// file (kBadData, with line and remedy). A changed file is read again before the next reading; if
// it is invalid by then, the last good one stays in use. `vendor_` metrics have no place among the
// numbers and are left out. Two readings turn byte counters into rates. A device keeps its number,
// by its uuid or by its instance's name, and no other gets it.
Result<std::unique_ptr<ProbeBackend>> OpenProbeBackend(ProbeBackendOptions options);

// OK if all of them can be opened.
Status CheckSpecs(const std::vector<std::string>& files);

}  // namespace rankscope::probe
