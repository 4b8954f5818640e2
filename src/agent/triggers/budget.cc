#include "agent/triggers/budget.h"

#include <fmt/core.h>

namespace rankscope::agent {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

void ForgetIn(std::deque<std::int64_t>& times, Now now) {
  while (!times.empty() && now.steady_ms - times.front() > kHourMs) times.pop_front();
}

}  // namespace

void Budget::Forget(Now now) {
  ForgetIn(made_ms_, now);
  for (auto job = made_ms_of_job_.begin(); job != made_ms_of_job_.end();) {
    ForgetIn(job->second, now);
    job = job->second.empty() ? made_ms_of_job_.erase(job) : std::next(job);
  }
}

std::string Budget::Refusal(const std::string& job, Now now) {
  Forget(now);
  if (made_ms_.size() >= static_cast<std::size_t>(limits_.most_per_hour))
    return fmt::format("{} captures on this host in the last hour (triggers.most_per_hour)",
                       made_ms_.size());
  const auto of_job = made_ms_of_job_.find(job);
  const std::size_t made = of_job == made_ms_of_job_.end() ? 0 : of_job->second.size();
  if (made >= static_cast<std::size_t>(limits_.job_most_per_hour))
    return fmt::format("{} captures of the job in the last hour (triggers.job_most_per_hour)",
                       made);
  return {};
}

void Budget::Spend(const std::string& job, Now now) {
  made_ms_.push_back(now.steady_ms);
  made_ms_of_job_[job].push_back(now.steady_ms);
}

}  // namespace rankscope::agent
