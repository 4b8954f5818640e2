#include "schemas/steps.h"

namespace rankscope {

template const TimeBreakdown& SchemaOf<TimeBreakdown>();
template const StepTimes& SchemaOf<StepTimes>();
template const DeviceStepWindows& SchemaOf<DeviceStepWindows>();
template const JobSteps& SchemaOf<JobSteps>();
template const StepSpread& SchemaOf<StepSpread>();
template const StepPhases& SchemaOf<StepPhases>();
template const JobBreakdown& SchemaOf<JobBreakdown>();
template const RankBreakdown& SchemaOf<RankBreakdown>();
template const Phases& SchemaOf<Phases>();

}  // namespace rankscope
