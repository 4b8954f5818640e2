// Specifications as a back end of the agent's devices: their standard metrics become the numbers
// that all makers share.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
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
  std::function<void(std::string_view)> said;  // messages for a log; may be empty
};

// How often something went wrong with devices of a class since the backend was opened.
struct SpecFaults {
  std::string device_class;
  std::string fault;  // "stuck" (ToString(ReadFault)), or of computing: "division by zero"
  std::uint64_t count = 0;
};

class ProbeBackend : public device::Backend {
 public:
  // How often each file was read anew, since it changed. A device that the older version had and
  // this one does not have was not lost.
  virtual std::map<std::string, std::uint64_t> versions() const = 0;
  // By class and fault; none of count 0.
  virtual std::vector<SpecFaults> faults() const = 0;
  // Files that are refused as they are now.
  virtual int refused() const = 0;
};

// Refuses a file that users other than its owner may write to, and an invalid file: it is told to
// the log, with line and remedy, and read again when it changes. The others are in use. A changed
// file is read again before the next reading; if it is invalid by then, the last good one stays in
// use. A source's fault is told when it comes or changes, at most once a minute, and when it ends.
// `vendor_` metrics have no place among the
// numbers and are left out. Two readings turn byte counters into rates. A device keeps its number,
// by its uuid or by its instance's name, and no other gets it.
std::unique_ptr<ProbeBackend> OpenProbeBackend(ProbeBackendOptions options);

// OK if none of them is refused.
Status CheckSpecs(const std::vector<std::string>& files);

}  // namespace rankscope::probe
