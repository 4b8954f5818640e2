// What Holistic Trace Analysis adds to the list of subsystems.
#pragma once

#include "contract/subsystem.h"

namespace rankscope::hta {

const Subsystem& HtaSubsystem();

}  // namespace rankscope::hta
