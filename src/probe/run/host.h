// All devices of a specification, read together.
#pragma once

#include <vector>

#include "probe/run/module.h"

namespace rankscope::probe {

// Not for several threads. Refers to spec and reader.
class Host {
 public:
  Host(const Spec& spec, SourceReader& reader, const Clock& clock = MonotonicNow);

  // False where nothing is due.
  bool Refresh(std::int64_t now_ns);
  std::int64_t NextDue_ns() const;
  const std::vector<Module>& modules() const { return modules_; }

 private:
  std::vector<Module> modules_;
};

// "accel0 power: /sys/class/accel/accel0/power: Input/output error", of each source whose last
// reading had a fault, and of each kind of fault of evaluation.
std::vector<std::string> FaultLines(const Host& host);
// All metrics, a line each (lines.h).
std::string MetricLines(const Host& host);

}  // namespace rankscope::probe
