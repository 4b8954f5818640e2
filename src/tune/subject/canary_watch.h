// What a guard checks of a service in its canary, without the tuner: whether it answers, and by its
// metrics (names of serving/base/metric_names.h) how many of all users' requests kept the limits.
#pragma once

#include <string>

#include "serving/load/level.h"
#include "tune/subject/ready.h"

namespace rankscope::tune {

class CanaryWatch {
 public:
  CanaryWatch(ReadyCheck check, const serving::Objective& limits);

  // Checks the service; call about once per second. "" while all is well, otherwise what broke:
  //   it did not answer three times in a row, or
  //   of n requests since the first check (at least 100) significantly less than 95% kept a limit:
  //   share < 0.95 - 2.6 * sqrt(0.95 * 0.05 / n); the bucket with the limit counts as kept.
  std::string Look();
  // "212 requests by its metrics: 99.1% within TTFT 1.00 s"; "" if it has none of these metrics.
  std::string Seen() const { return seen_; }

 private:
  std::string LookAtMetrics();

  const ReadyCheck check_;
  const serving::Objective limits_;
  std::string first_scrape_;
  std::string seen_;
  int silent_ = 0;
  bool has_metrics_ = true;
};

// The same for two scrapes: "" or what broke; `seen` as above.
std::string BrokenLimits(const std::string& before, const std::string& after,
                         const serving::Objective& limits, std::string* seen);

}  // namespace rankscope::tune
