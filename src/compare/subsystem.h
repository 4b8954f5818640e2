// What the comparison of two jobs adds to the list of subsystems.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& CompareSubsystem();

}  // namespace rankscope
