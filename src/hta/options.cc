#include "hta/options.h"

#include <charconv>
#include <optional>

namespace rankscope::hta {
namespace {

std::vector<std::string_view> Split(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  }
  return parts;
}

template <typename Number>
std::optional<Number> Parse(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Python's spelling too, since values are copied from notebooks.
std::optional<bool> ParseFlag(std::string_view text) {
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  return std::nullopt;
}

bool IsFlag(std::string_view text) { return ParseFlag(text).has_value(); }
bool IsCount(std::string_view text) { return Parse<std::int64_t>(text).value_or(-1) >= 0; }
bool IsRatio(std::string_view text) {
  const double ratio = Parse<double>(text).value_or(-1);
  return ratio >= 0 && ratio <= 1;
}
bool IsNumberList(std::string_view text) {
  for (const std::string_view part : Split(text)) {
    if (!Parse<std::int64_t>(part)) return false;
  }
  return true;
}

// "2", or as Python writes a pair: "(1, 3)".
std::optional<InstanceRange> ParseInstances(std::string_view text) {
  if (const auto one = Parse<std::int64_t>(text)) return InstanceRange{*one, *one};
  if (!text.starts_with('(') || !text.ends_with(')')) return std::nullopt;
  const std::vector<std::string_view> ends = Split(text.substr(1, text.size() - 2));
  if (ends.size() != 2) return std::nullopt;
  const std::string_view second = ends[1].substr(ends[1].starts_with(' ') ? 1 : 0);
  const auto first = Parse<std::int64_t>(ends[0]);
  const auto last = Parse<std::int64_t>(second);
  if (!first || !last) return std::nullopt;
  return InstanceRange{*first, *last};
}

bool IsInstances(std::string_view text) {
  const std::optional<InstanceRange> range = ParseInstances(text);
  return range && range->first >= 0 && range->last >= range->first;
}

struct Parameter {
  std::string_view name;
  bool (*is_valid)(std::string_view);
  std::string_view expected;
};

constexpr std::string_view kFlag = "true or false";
constexpr std::string_view kCount = "a whole number, 0 or more";
constexpr std::string_view kNumbers = "whole numbers with commas between, such as 0,1,2";

constexpr Parameter kParameters[] = {
    {"include_last_profiler_step", IsFlag, kFlag},
    {"add_zero_weight_launch_edges", IsFlag, kFlag},
    {"filter", IsFlag, kFlag},
    {"include_memory_kernels", IsFlag, kFlag},
    {"include_memory_events", IsFlag, kFlag},
    {"shorten_names", IsFlag, kFlag},
    {"use_gpu_annotation", IsFlag, kFlag},
    {"use_short_name", IsFlag, kFlag},
    {"min_pattern_len", IsCount, kCount},
    {"num_kernels", IsCount, kCount},
    {"consecutive_kernel_delay", IsCount, kCount},
    {"max_queue_length", IsCount, kCount},
    {"duration_ratio", IsRatio, "a number from 0 to 1"},
    {"ranks", IsNumberList, kNumbers},
    {"rank", IsNumberList, kNumbers},
    {"instance_id", IsInstances, "a whole number such as 0, or a range such as (0, 2)"},
    {"streams", IsNumberList, kNumbers},
};

const std::string& TextOf(const Options& options, std::string_view name) {
  return options.find(name)->second;
}

}  // namespace

OptionSpec IncludeLastProfilerStep() {
  return {"include_last_profiler_step", "false",
          "true: keep the last profiler step, which HTA leaves out when there are several"};
}
OptionSpec Filter() {
  return {"filter", "true", "false: all that HTA parses, before it leaves the last step out"};
}
OptionSpec Ranks() {
  return {"ranks", "", "ranks to show, such as 0,1; empty = all (HTA: rank 0 only)"};
}
OptionSpec Streams() { return {"streams", "", "streams to show, such as 7,20; empty = all"}; }
OptionSpec DurationRatio() {
  return {"duration_ratio", "0.8",
          "with more than num_kernels names: those beyond this quantile of the cumulated sums "
          "become \"others\""};
}
OptionSpec NumKernels(std::string default_value) {
  return {"num_kernels", std::move(default_value), "names to show before \"others\" begins"};
}
OptionSpec IncludeMemoryKernels() {
  return {"include_memory_kernels", "true", "false: leave copies and memsets out"};
}
OptionSpec IncludeMemoryEvents() {
  return {"include_memory_events", "true", "false: leave cudaMemcpyAsync and cudaMemsetAsync out"};
}
OptionSpec ConsecutiveKernelDelay() {
  return {"consecutive_kernel_delay", "30",
          "a gap below this many microseconds, launched in time, is a kernel_wait"};
}
OptionSpec MaxQueueLength() {
  return {"max_queue_length", "1024", "queue length from which on a stream counts as full"};
}
OptionSpec ShortenNames() {
  return {"shorten_names", "true", "false: names of kernels as they are in the file"};
}
OptionSpec UseGpuAnnotation() {
  return {"use_gpu_annotation", "true",
          "true: annotations projected on streams; false: annotations on the host"};
}
OptionSpec AllowlistPatterns() {
  return {"allowlist_patterns", "",
          "texts with commas between: names that hold one of them never become \"others\""};
}
OptionSpec Annotation() {
  return {
      "annotation", "ProfilerStep",
      "look between the begin and end of events whose name holds this text; empty = everywhere"};
}
OptionSpec InstanceId() {
  return {"instance_id", "0",
          "which of those events, counted from 0 in HTA's order, or a range such as (0, 2)"};
}
OptionSpec AddZeroWeightLaunchEdges() {
  return {"add_zero_weight_launch_edges", "false",
          "true: work comes after its launch also where that does not delay it"};
}
OptionSpec Rank() { return {"rank", "", "rank to show, or several such as 0,1; empty = all"}; }

OptionSpec UseShortName() {
  return {"use_short_name", "false",
          "true: names without template arguments and parameters are one"};
}
OptionSpec OperatorName() { return {"operator_name", "aten::", "ops whose names hold this text"}; }
OptionSpec MinPatternLen() {
  return {"min_pattern_len", "3", "leave out ops that launch less device work than this"};
}

Status CheckOptions(const Options& options) {
  for (const Parameter& parameter : kParameters) {
    const auto given = options.find(parameter.name);
    if (given == options.end() || parameter.is_valid(given->second)) continue;
    return Error(StatusCode::kInvalidArgument, "option {} must be {}, not '{}'", parameter.name,
                 parameter.expected, given->second);
  }
  return OkStatus();
}

bool FlagOf(const Options& options, std::string_view name) {
  return ParseFlag(TextOf(options, name)).value();
}
std::int64_t CountOf(const Options& options, std::string_view name) {
  return Parse<std::int64_t>(TextOf(options, name)).value();
}
double RatioOf(const Options& options, std::string_view name) {
  return Parse<double>(TextOf(options, name)).value();
}
std::vector<std::int64_t> NumbersOf(const Options& options, std::string_view name) {
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : Split(TextOf(options, name))) {
    numbers.push_back(Parse<std::int64_t>(part).value());
  }
  return numbers;
}
std::vector<std::string> TextsOf(const Options& options, std::string_view name) {
  std::vector<std::string> texts;
  for (const std::string_view part : Split(TextOf(options, name))) texts.emplace_back(part);
  return texts;
}

InstanceRange InstancesOf(const Options& options, std::string_view name) {
  return ParseInstances(TextOf(options, name)).value();
}

}  // namespace rankscope::hta
