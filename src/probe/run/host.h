// All devices of a specification, read together.
#pragma once

#include <vector>

#include "probe/run/module.h"

namespace rankscope::probe {

// Not thread-safe. Refers to spec and reader.
class Host {
 public:
  Host(const Spec& spec, SourceReader& reader, const Clock& clock = MonotonicNow);

  // False if nothing is due.
  bool Refresh(std::int64_t now_ns);
  std::int64_t NextDue_ns() const;
  const std::vector<Module>& modules() const { return modules_; }

 private:
  std::vector<Module> modules_;
};

// "accel0 power: /sys/class/accel/accel0/power: Input/output error": a line for each source whose
// last reading had a fault, and for each kind of evaluation fault.
std::vector<std::string> FaultLines(const Host& host);
// All metrics, one per line (lines.h).
std::string MetricLines(const Host& host);

}  // namespace rankscope::probe
