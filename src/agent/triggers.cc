#include "agent/triggers.h"

#include <map>

#include "wire/kineto_config.h"

namespace rankscope::agent {
namespace {

constexpr std::int64_t kHourMs = 3'600'000;

// Processes that belong together are profiled together.
std::string JobOf(const Process& process) {
  if (!process.info.job_id.empty()) return process.info.job_id;
  if (process.job != 0) return std::to_string(process.job);
  return process.info.user;
}

}  // namespace

bool Triggers::HasBudget(Now now) {
  while (!made_ms_.empty() && now.steady_ms - made_ms_.front() > kHourMs) made_ms_.pop_front();
  if (made_ms_.size() < static_cast<std::size_t>(config_.triggers_most_per_hour)) {
    was_told_of_budget_ = false;
    return true;
  }
  if (!was_told_of_budget_) {
    said_(fmt::format(
        "trigger iteration: not now: {} captures in the last hour (triggers.most_per_hour)",
        made_ms_.size()));
    was_told_of_budget_ = true;
  }
  return false;
}

void Triggers::Tick(Now now) {
  if (config_.triggers_iteration == 0) return;
  std::map<std::string, std::vector<std::int64_t>> due;
  for (const Process& process : captures_.Processes()) {
    const bool is_due = !process.was_profiled && process.polls > 1 && !process.is_recording &&
                        now.steady_ms - process.first_seen_ms >= 1000 * config_.triggers_settle_s;
    if (is_due) due[JobOf(process)].push_back(process.info.pid);
  }
  for (const auto& [job, pids] : due) {
    if (!HasBudget(now)) return;
    wire::CaptureConfig config{
        .log_file = fmt::format("{}/rankscope-iteration-{}.pt.trace.json", config_.capture_folder,
                                config_.triggers_iteration),
        .iterations = config_.triggers_iterations,
        .start_iteration = config_.triggers_iteration,
        .shapes = config_.capture_shapes,
        .stacks = config_.capture_stacks};
    const Result<std::string> text = wire::ToConfigText(config);
    if (!text.ok()) {
      said_(fmt::format("trigger iteration: {}", text.status().message()));
      return;
    }
    const Triggered made = captures_.Trigger({.pids = pids}, *text, "iteration", now);
    for (const std::int64_t pid : pids) captures_.MarkProfiled(static_cast<pid_t>(pid));
    made_ms_.push_back(now.steady_ms);
    said_(fmt::format(
        "trigger iteration: {}: {} of {} processes of job '{}' are to record iterations {} to {}{}",
        made.id, made.triggered.size(), pids.size(), job, config_.triggers_iteration,
        config_.triggers_iteration + config_.triggers_iterations - 1,
        made.busy > 0 ? fmt::format(", {} were busy", made.busy) : ""));
    for (const std::string& warning : made.warnings) said_(warning);
  }
}

}  // namespace rankscope::agent
