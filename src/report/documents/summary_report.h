// The line about a job in a list of jobs.
#pragma once

#include <string>

#include "report/base/report.h"

namespace rankscope {

// {"ranks": how many were recorded, "world_size", "devices":[..],"step_time_ns":{..} (as in the
// report),"steps_ns":[lengths of the last 64 complete steps],"bottleneck","combined_gain_pct",
// "headline": the sentence that matters most,"findings":{"high","medium","low"},
// "top":[{"id","severity","gain_pct","title","who"}, at most three]}; unknown is null. Less than
// 10 kB.
std::string WriteSummary(const Report& report);

}  // namespace rankscope
