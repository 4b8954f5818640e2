// What the fleet subsystem adds to the program.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& FleetSubsystem();

}  // namespace rankscope
