// The step time of the job, from its table of steps.
#pragma once

#include <optional>
#include <vector>

#include "api/run.h"
#include "report/base/report.h"

namespace rankscope {

// Durations of the complete steps of the job (job_steps), in order; empty if unknown.
std::vector<double> CompleteStepsNs(const Report& report);

// nullopt when there are none.
std::optional<api::StepTime> StepTimeOf(const Report& report);

}  // namespace rankscope
