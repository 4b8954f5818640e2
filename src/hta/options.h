// The options of the hta.* analyses: HTA's parameters under their names, all checked here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "stage/analysis.h"

namespace rankscope::hta {

// Specifications of HTA's parameters; an analysis lists those that it supports.
OptionSpec IncludeLastProfilerStep();
OptionSpec Filter();
OptionSpec Ranks();
OptionSpec Streams();
OptionSpec DurationRatio();
OptionSpec NumKernels(std::string default_value);
OptionSpec IncludeMemoryKernels();
OptionSpec IncludeMemoryEvents();
OptionSpec ConsecutiveKernelDelay();
OptionSpec MaxQueueLength();
OptionSpec ShortenNames();
OptionSpec UseGpuAnnotation();
OptionSpec AllowlistPatterns();
OptionSpec Annotation();
OptionSpec InstanceId();
OptionSpec AddZeroWeightLaunchEdges();
OptionSpec Rank();
OptionSpec UseShortName();
OptionSpec OperatorName();
OptionSpec MinPatternLen();

// The first and the last of a range of instances, counted from 0.
struct InstanceRange {
  std::int64_t first = 0;
  std::int64_t last = 0;
  friend bool operator==(const InstanceRange&, const InstanceRange&) = default;
};

// OK if every value matches its parameter's kind; otherwise a sentence names the one that does not.
Status CheckOptions(const Options& options);

// Values of options that passed CheckOptions.
bool FlagOf(const Options& options, std::string_view name);
std::int64_t CountOf(const Options& options, std::string_view name);
double RatioOf(const Options& options, std::string_view name);
std::vector<std::int64_t> NumbersOf(const Options& options, std::string_view name);
std::vector<std::string> TextsOf(const Options& options, std::string_view name);
InstanceRange InstancesOf(const Options& options, std::string_view name);

}  // namespace rankscope::hta
