// What the analysis of jobs that stand still brings to the list of subsystems.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& HangSubsystem();

}  // namespace rankscope
