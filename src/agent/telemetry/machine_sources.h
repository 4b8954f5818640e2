// Readings of the machine and the kernel's clock: memory errors, frequencies, offset of the time.
#pragma once

#include <functional>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Memory errors by controller: /sys/devices/system/edac. kNotFound if no driver watches any.
Source EdacSource();

// Current and maximum frequency of each core, and how often heat reduced it. kNotFound if there is
// none of these, as in most virtual machines.
Source CpuFrequencySource();

// The state that a time daemon gave the kernel (adjtimex).
struct KernelClock {
  bool is_synchronised = false;  // a daemon steers it and was heard of lately
  double offset_s = 0;           // that is still to be corrected
  double most_error_s = 0;
  double estimated_error_s = 0;
};

// The kernel's own: a call that changes nothing and needs no rights. kIo if a filter of system
// calls refuses it, as systemd's ProtectClock does.
Result<KernelClock> ReadKernelClock();

// For an unsynchronised clock only that state is reported: its offset is unknown.
Source ClockSource(std::function<Result<KernelClock>()> read);

}  // namespace rankscope::agent
