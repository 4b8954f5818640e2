// The step time of the job, from its table of steps.
#pragma once

#include <cstdint>
#include <vector>

#include "json/writer.h"
#include "report/base/report.h"

namespace rankscope {

// Durations of the complete steps of the job (job_steps), in order; empty if unknown.
std::vector<double> CompleteStepsNs(const Report& report);

// {"mean":..,"median":..,"complete_steps":n}; null when there are none.
void WriteStepTime(json::Writer& writer, const Report& report);

}  // namespace rankscope
