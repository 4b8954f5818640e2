// For tests of rules about a host that pauses.
#pragma once

#include <cstdint>
#include <string_view>

#include "insight/job_plan_for_test.h"

namespace rankscope {

// Of a job whose rank 1 is for so long in this range in step 2 of so many.
inline Table FindingsOfPause(std::string_view range, std::int64_t us = 1500, int steps = 4,
                             std::int64_t load_us = 20) {
  JobPlan plan;
  plan.steps = steps;
  plan.step = [=](int rank, int step) {
    return RankStep{.load = load_us, .pause = range, .pause_us = rank == 1 && step == 2 ? us : 0};
  };
  return FindingsOf(plan);
}

}  // namespace rankscope
