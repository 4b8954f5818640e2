// Budget: limits how often triggers may capture on this host and for each job.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "agent/base/now.h"

namespace rankscope::agent {

struct BudgetLimits {
  std::int64_t most_per_hour = 4;
  std::int64_t job_most_per_hour = 2;
};

// Not for several threads.
class Budget {
 public:
  explicit Budget(const BudgetLimits& limits) : limits_(limits) {}

  // What was spent stays spent.
  void Change(const BudgetLimits& limits) { limits_ = limits; }

  // The reason why a capture of the job may not begin now, with the setting; empty: it may.
  std::string Refusal(const std::string& job, Now now);
  void Spend(const std::string& job, Now now);

 private:
  void Forget(Now now);

  BudgetLimits limits_;
  std::deque<std::int64_t> made_ms_;  // steady, of the last hour
  std::map<std::string, std::deque<std::int64_t>> made_ms_of_job_;
};

}  // namespace rankscope::agent
