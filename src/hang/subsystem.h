// The entry of the analysis of hanging jobs in the list of subsystems.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& HangSubsystem();

}  // namespace rankscope
