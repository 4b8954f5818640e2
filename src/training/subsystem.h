// What the analysis of training jobs adds to the list of subsystems: the tables of a job by topic,
// and the findings of the rules.
#pragma once

#include "contract/subsystem.h"

namespace rankscope {

const Subsystem& TrainingSubsystem();

}  // namespace rankscope
