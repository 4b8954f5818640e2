// What a guard sees of a service in its canary, without the tuner: whether it answers, and by its
// metrics (names of serving/base/metric_names.h) how many requests of anybody kept the limits.
#pragma once

#include <string>

#include "serving/load/level.h"
#include "tune/subject/ready.h"

namespace rankscope::tune {

class CanaryWatch {
 public:
  CanaryWatch(ReadyCheck check, const serving::Objective& limits);

  // A look, once a second or so. "" as long as all is well, else what broke:
  //   it did not answer three times in a row, or
  //   of n requests since the first look (100 at least) so few kept a limit that 95% do not keep
  //   it: share < 0.95 - 2.6 * sqrt(0.95 * 0.05 / n), the bucket with the limit counted as kept.
  std::string Look();
  // "212 requests by its metrics: 99.1% within TTFT 1.00 s"; "" where it has none of these metrics.
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

// The same of two scrapes: "" or what broke; `seen` as above.
std::string BrokenLimits(const std::string& before, const std::string& after,
                         const serving::Objective& limits, std::string* seen);

}  // namespace rankscope::tune
