// What the machine and the kernel's clock tell: errors of memory, frequencies, how far time is off.
#pragma once

#include <functional>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Errors of memory by controller: /sys/devices/system/edac. kNotFound where no driver watches any.
Source EdacSource();

// Frequency of each core now and at most, and how often heat held it down. kNotFound where there is
// none of it, as in most virtual machines.
Source CpuFrequencySource();

// What a time daemon told the kernel (adjtimex).
struct KernelClock {
  bool is_synchronised = false;  // a daemon steers it and was heard of lately
  double offset_s = 0;           // that is still to be corrected
  double most_error_s = 0;
  double estimated_error_s = 0;
};

// The kernel's own: a call that changes nothing and needs no right. kIo where a filter of system
// calls refuses it, as systemd's ProtectClock does.
Result<KernelClock> ReadKernelClock();

// Of a clock that nobody steers only that is told: its offset is unknown.
Source ClockSource(std::function<Result<KernelClock>()> read);

}  // namespace rankscope::agent
