// For tests of rules about a host that pauses.
#pragma once

#include <string_view>

#include "insight/job_plan_for_test.h"

namespace rankscope {

// Of a job whose rank 1 is for 1500 us in this range in the third of four steps.
inline Table FindingsOfPause(std::string_view range) {
  JobPlan plan;
  plan.step = [=](int rank, int step) {
    return RankStep{.load = 20, .pause = range, .pause_us = rank == 1 && step == 2 ? 1500 : 0};
  };
  return FindingsOf(plan);
}

}  // namespace rankscope
