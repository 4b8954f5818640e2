#include "agent/telemetry/intervals.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/nearest_name.h"

namespace rankscope::agent {
namespace {

// Those that are no part of HostSources. The devices' interval is a setting of its own.
constexpr std::string_view kOthers[] = {"job", "process", "powercap", "perf", "ethtool"};
constexpr int kLongestSeconds = 3600;

std::vector<std::string> IntervalNames() {
  std::vector<std::string> names(std::begin(kOthers), std::end(kOthers));
  for (const Source& source : HostSources()) names.emplace_back(source.name);
  return names;
}

// NAME and seconds of one text.
Result<std::pair<std::string, std::chrono::seconds>> ParseInterval(
    const std::string& text, const std::vector<std::string>& names) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (std::ranges::find(names, name) == names.end()) {
    const std::string_view nearest = NearestName(name, names);
    return Error(StatusCode::kInvalidArgument, "telemetry.intervals: '{}': no source '{}'{}", text,
                 name, nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
  }
  const std::string seconds = equals == std::string::npos ? "" : text.substr(equals + 1);
  int value = -1;
  const auto [end, error] = std::from_chars(seconds.data(), seconds.data() + seconds.size(), value);
  if (error != std::errc() || end != seconds.data() + seconds.size() || value < 0 ||
      value > kLongestSeconds)
    return Error(StatusCode::kInvalidArgument,
                 "telemetry.intervals: '{}' is to be {}=SECONDS, 0 (not read) to {}", text, name,
                 kLongestSeconds);
  return std::pair(name, std::chrono::seconds(value));
}

}  // namespace

std::vector<Status> ProblemsOfIntervals(const std::vector<std::string>& texts) {
  const std::vector<std::string> names = IntervalNames();
  std::vector<Status> problems;
  for (const std::string& text : texts) {
    Status status = ParseInterval(text, names).status();
    if (!status.ok()) problems.push_back(std::move(status));
  }
  return problems;
}

Result<Intervals> ParseIntervals(const std::vector<std::string>& texts) {
  const std::vector<std::string> names = IntervalNames();
  Intervals intervals;
  for (const std::string& text : texts) {
    RS_ASSIGN_OR_RETURN(auto one, ParseInterval(text, names));
    intervals.insert_or_assign(std::move(one.first), one.second);
  }
  return intervals;
}

std::vector<Source> WithIntervals(std::vector<Source> sources, const Intervals& intervals) {
  for (Source& source : sources) {
    const auto found = intervals.find(source.name);
    if (found != intervals.end()) source.interval = found->second;
  }
  std::erase_if(sources, [](const Source& source) { return source.interval.count() == 0; });
  return sources;
}

}  // namespace rankscope::agent
