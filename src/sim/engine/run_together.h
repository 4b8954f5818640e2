// RunTogether: all ranks of a job at once and without recording, so that every rank can be run
// alone afterwards: the others reach it only through the meetings that are found here.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/rendezvous.h"
#include "sim/jobs/job_plan.h"

namespace rankscope::sim {

struct JobRun {
  std::unique_ptr<JobRendezvous> meetings;
  // Per rank: when the host began each step, and when host and device were through with the last.
  std::vector<std::vector<std::int64_t>> step_bounds_ns;

  // From a rank's first step to its end per step, the mean over ranks.
  std::int64_t MeanStepNs() const;
};

// The plan must outlive the result. Cost: ~20 ns per event of all ranks. Memory while it runs:
// 12 KiB per rank.
JobRun RunTogether(const JobPlan& plan);

}  // namespace rankscope::sim
