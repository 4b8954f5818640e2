// What memory snapshots and memory timelines add to the list of subsystems.
#pragma once

#include "contract/subsystem.h"

namespace rankscope::memory {

const Subsystem& MemorySubsystem();

}  // namespace rankscope::memory
