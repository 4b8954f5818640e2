// JobValues: numbers that jobs report on themselves, such as the time of a step.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/base/now.h"
#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Safe for many threads. Holds the last value of each name and process, for kKeptMs.
class JobValues {
 public:
  static constexpr std::int64_t kKeptMs = 60'000;
  static constexpr std::size_t kMost = 2048;

  explicit JobValues(Clock clock) : clock_(std::move(clock)) {}

  // `labels` name the owner. kInvalidArgument for a name other than up to 64 letters, digits and
  // underscores, and for a value that is not a number; kResource beyond kMost.
  Status Tell(pid_t pid, const Labels& labels, std::string_view name, double value);
  // Implements `Source::read`: rankscope_job_value{name="step_time_s",pid="4711",...}.
  Status Read(Readings& readings);

 private:
  struct Told {
    Labels labels;
    double value = 0;
    std::int64_t told_ms = 0;  // steady
  };

  const Clock clock_;
  std::mutex mutex_;
  std::map<std::pair<pid_t, std::string>, Told> told_;
};

Source SourceOf(JobValues& values);

}  // namespace rankscope::agent
