// Schedule: when each all-reduce of a job ends, worked out before any trace is written.
//
// All ranks are simulated together, step by step and without recording; afterwards any rank can be
// simulated alone, since the others reach it only through these times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/job_plan.h"

namespace rankscope::sim {

class Schedule {
 public:
  // Cost: ~20 ns per event of all ranks. Memory while it runs: 10 KiB per rank.
  explicit Schedule(const JobPlan& plan);

  // Ends of the step's collectives, on every rank; plan.collective_count() of them.
  const std::int64_t* end_ns(int step) const { return &end_ns_[Index(step)]; }
  // How long a rank that was ready at `ready_ns` held its collectives' kernels until the last rank
  // had begun, summed over the step. The collectives of a stream do not overlap.
  std::int64_t WaitNs(int step, std::span<const std::int64_t> ready_ns) const;

 private:
  std::size_t Index(int step) const {
    return static_cast<std::size_t>(step) * static_cast<std::size_t>(plan_.collective_count());
  }
  // Ends of one step from the readiness of all ranks.
  void Resolve(int step, std::span<const std::vector<std::int64_t>* const> ready_of_ranks);

  const JobPlan& plan_;
  std::vector<std::int64_t> end_ns_;
};

}  // namespace rankscope::sim
