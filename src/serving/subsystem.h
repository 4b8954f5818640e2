// What serving programs bring to the list of subsystems: so far the causes of slowness that their
// requests, queues and batches show, with their pages. Nothing looks for them yet.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& ServingSubsystem();

}  // namespace rankscope
