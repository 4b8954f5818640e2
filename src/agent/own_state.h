// What the agent tells of its own process.
#pragma once

#include <string>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Processor time, memory, descriptors, and what lies in `spool_dir`. What the kernel does not tell
// is left out.
void AddOwnState(const std::string& spool_dir, Readings& own);

}  // namespace rankscope::agent
