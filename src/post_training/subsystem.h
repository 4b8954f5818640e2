// What post-training adds to the list of subsystems: the tables of `rankscope post-training`, and
// the causes of wasted device time that steps and rollouts show.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& PostTrainingSubsystem();

}  // namespace rankscope
