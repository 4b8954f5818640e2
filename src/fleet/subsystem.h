// What the fleet brings to the program.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& FleetSubsystem();

}  // namespace rankscope
