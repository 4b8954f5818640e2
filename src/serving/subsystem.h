// What serving programs bring to the list of subsystems: the tables of `rankscope serving`, and the
// causes of slowness that their requests, queues and batches show.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& ServingSubsystem();

}  // namespace rankscope
