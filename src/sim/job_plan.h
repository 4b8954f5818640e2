// JobPlan: everything about a job that all its ranks share, worked out once from the options.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "sim/cause.h"
#include "sim/clock.h"
#include "sim/engine/allocator.h"
#include "sim/jobs/job.h"
#include "sim/layout.h"
#include "sim/library.h"
#include "sim/program.h"
#include "sim/simulate.h"
#include "sim/step_size.h"

namespace rankscope::sim {

// Which of options.causes are planted, by their index, as a set of bits.
using CauseSet = std::uint64_t;
inline constexpr CauseSet kAllCauses = ~CauseSet{0};

// What the planted causes change in how a rank runs its program in one step.
struct StepEffects {
  std::int64_t device_per_mille = 1000;  // of the time of compute kernels
  std::int64_t host_per_mille = 1000;    // of all host time
  std::int64_t batch_ns = 0;             // the data workers finish a batch so often
  bool batches_late = false;             // and the training has used up all that they had ahead
};

// Immutable once made.
class JobPlan {
 public:
  // `healthy_step_ns` is the time of a step of the same job without causes, which some causes are
  // measured by; 0 when it is not known yet.
  JobPlan(const SimulateOptions& job_options, const StepSize& step_size, CauseSet planted,
          std::int64_t healthy_step_ns);
  JobPlan(const JobPlan&) = delete;
  JobPlan& operator=(const JobPlan&) = delete;

  const SimulateOptions& options() const { return options_; }
  const StepSize& size() const { return size_; }
  const Layout& layout() const { return layout_; }
  std::int64_t healthy_step_ns() const { return healthy_step_ns_; }

  const Program& program(int rank, int step) const;
  StepEffects effects(int rank, int step) const;
  // An allocator as the steps before the recording left it.
  const CachingAllocator& warm_allocator(int rank) const;
  // Of the largest program.
  std::uint32_t event_slots() const { return event_slots_; }
  std::uint32_t memory_slots() const { return memory_slots_; }

  const std::string& step_name(int step) const {
    return step_names_[static_cast<std::size_t>(step)];
  }
  Clock clock(int rank) const;

 private:
  // The role, and the causes that strike.
  using ProgramKey = std::pair<int, CauseSet>;

  CauseSet StrikingAt(int rank, int step) const;
  ActiveCauses Active(CauseSet striking) const;
  void MakePrograms();
  CachingAllocator Warm(const Program& program) const;

  SimulateOptions options_;
  StepSize size_;
  CauseSet planted_;
  std::int64_t healthy_step_ns_;
  Library library_;
  std::unique_ptr<Job> job_;
  Layout layout_;
  std::vector<std::string> step_names_;  // "ProfilerStep#10", ...
  std::map<ProgramKey, Program> programs_;
  std::map<ProgramKey, CachingAllocator> allocators_;
  std::uint32_t event_slots_ = 0;
  std::uint32_t memory_slots_ = 0;
};

// The number of the first ProfilerStep#N: the profiler waited and warmed up before.
inline constexpr int kFirstStepNumber = 10;

// kInvalidArgument with the option's name when one is out of range.
Status Validate(const SimulateOptions& options);

}  // namespace rankscope::sim
