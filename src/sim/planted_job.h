// PlantedJob: a job run with its planted causes, and the cost of each cause.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/engine/run_together.h"
#include "sim/jobs/job_plan.h"

namespace rankscope::sim {

// The gain of a cause is found by running the same job without it: same size, same seed. Whatever
// the cause does not affect draws the same numbers (jitter.h).
class PlantedJob {
 public:
  // Cost: like RunTogether for the job; with causes also for the job without each cause, and
  // without all of them. These extra runs use options.threads threads.
  PlantedJob(const SimulateOptions& options, const StepSize& size);

  const JobPlan& plan() const { return *plan_; }
  const JobRun& run() const { return run_; }

  // Mean time of a step over ranks: of the job, without any cause, without one cause.
  std::int64_t step_ns() const { return run_.MeanStepNs(); }
  std::int64_t healthy_step_ns() const { return healthy_step_ns_; }
  const std::vector<std::int64_t>& step_without_ns() const { return step_without_ns_; }

 private:
  std::int64_t healthy_step_ns_ = 0;
  std::unique_ptr<JobPlan> plan_;
  JobRun run_;
  std::vector<std::int64_t> step_without_ns_;  // by cause
};

}  // namespace rankscope::sim
