#include "agent/telemetry/job_values.h"

#include <cmath>

#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::string_view kOfNames =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

}  // namespace

Status JobValues::Tell(pid_t pid, const Labels& labels, std::string_view name, double value) {
  if (name.empty() || name.size() > kLongestName ||
      name.find_first_not_of(kOfNames) != std::string_view::npos)
    return Error(StatusCode::kInvalidArgument,
                 "'{}' is no name: up to {} letters, digits and underscores",
                 name.substr(0, kLongestName), kLongestName);
  if (!std::isfinite(value))
    return Error(StatusCode::kInvalidArgument, "'{}' is to be a number", name);
  const std::int64_t now_ms = clock_().steady_ms;
  const std::scoped_lock lock(mutex_);
  const auto key = std::pair(pid, std::string(name));
  if (told_.size() >= kMost && !told_.contains(key)) {
    std::erase_if(told_, [&](const auto& one) { return now_ms - one.second.told_ms > kKeptMs; });
    if (told_.size() >= kMost)
      return Error(StatusCode::kResource, "more than {} values are told on this host", kMost);
  }
  Told& told = told_[key];
  told.labels = {{"name", std::string(name)}};
  told.labels.insert(told.labels.end(), labels.begin(), labels.end());
  told.value = value;
  told.told_ms = now_ms;
  return OkStatus();
}

Status JobValues::Read(Readings& readings) {
  const std::int64_t now_ms = clock_().steady_ms;
  const std::scoped_lock lock(mutex_);
  std::erase_if(told_, [&](const auto& one) { return now_ms - one.second.told_ms > kKeptMs; });
  for (const auto& [key, told] : told_) readings.Add(quantity::kJobValue, told.labels, told.value);
  return OkStatus();
}

Source SourceOf(JobValues& values) {
  return {"job", std::chrono::milliseconds(5000),
          [&values](const std::string&, Readings& readings) { return values.Read(readings); }};
}

}  // namespace rankscope::agent
