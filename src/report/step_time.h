// How long a step of the job takes, from its table of steps.
#pragma once

#include <cstdint>
#include <vector>

#include "json/writer.h"
#include "report/report.h"

namespace rankscope {

// Lengths of the complete steps of the job (job_steps), in their order; none when none is known.
std::vector<double> CompleteStepsNs(const Report& report);

// {"mean":..,"median":..,"complete_steps":n}; null when there are none.
void WriteStepTime(json::Writer& writer, const Report& report);

}  // namespace rankscope
