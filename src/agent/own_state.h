// Metrics of the agent's own process.
#pragma once

#include <string>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Processor time, memory, descriptors, and the contents of `spool_dir`. Values that the kernel does
// not give are left out.
void AddOwnState(const std::string& spool_dir, Readings& own);

}  // namespace rankscope::agent
