// The options of the hta.* analyses: HTA's parameters by their names, checked in one place.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

namespace rankscope::hta {

// Specifications of HTA's parameters; an analysis lists those that it has.
OptionSpec IncludeLastProfilerStep();
OptionSpec Ranks();
OptionSpec Streams();
OptionSpec DurationRatio();
OptionSpec NumKernels(std::string default_value);
OptionSpec IncludeMemoryKernels();
OptionSpec IncludeMemoryEvents();
OptionSpec ConsecutiveKernelDelay();
OptionSpec MaxQueueLength();
OptionSpec UseGpuAnnotation();
OptionSpec AllowlistPatterns();

// Every value is of its parameter's kind, or one sentence says which is not.
Status CheckOptions(const Options& options);

// Values of options that were checked.
bool FlagOf(const Options& options, std::string_view name);
std::int64_t CountOf(const Options& options, std::string_view name);
double RatioOf(const Options& options, std::string_view name);
std::vector<std::int64_t> NumbersOf(const Options& options, std::string_view name);
std::vector<std::string> TextsOf(const Options& options, std::string_view name);

}  // namespace rankscope::hta
