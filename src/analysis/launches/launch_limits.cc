#include "analysis/launches/launch_limits.h"

#include <algorithm>

namespace rankscope {

std::vector<OptionSpec> LaunchOptions() {
  return {{"slow_call_us", "50", "a call longer than this is slow, in us", OptionType::kCount},
          {"late_start_us", "100",
           "work that begins later than this after its call has returned and earlier work of the "
           "stream has ended is late, in us",
           OptionType::kCount}};
}

LaunchLimits LaunchLimitsOf(const Options& options) {
  const auto ns = [&](std::string_view name) {
    return std::min(CountOption(options, name), INT64_MAX / 1000) * 1000;
  };
  return {ns("slow_call_us"), ns("late_start_us")};
}

}  // namespace rankscope
