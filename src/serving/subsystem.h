// The serving entry in the list of subsystems: the tables of `rankscope serving`, and the causes of
// slowness visible in requests, queues and batches.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& ServingSubsystem();

}  // namespace rankscope
