// The options of launches and launch_outliers.
#pragma once

#include "stage/analysis.h"

namespace rankscope {

struct LaunchLimits {
  std::int64_t slow_call_ns = 0;
  std::int64_t late_start_ns = 0;
};

std::vector<OptionSpec> LaunchOptions();
LaunchLimits LaunchLimitsOf(const Options& options);

}  // namespace rankscope
