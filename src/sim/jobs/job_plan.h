// JobPlan: everything that all ranks of a job share, computed once from the options.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/status.h"
#include "sim/jobs/job.h"
#include "sim/model/allocator.h"
#include "sim/model/cause.h"
#include "sim/model/clock.h"
#include "sim/model/layout.h"
#include "sim/model/library.h"
#include "sim/model/options.h"
#include "sim/model/program.h"
#include "sim/model/step_size.h"

namespace rankscope::sim {

// The planted ones of options.causes: a set of bits, by index.
using CauseSet = std::uint64_t;
inline constexpr CauseSet kAllCauses = ~CauseSet{0};

// How the planted causes change the run of a rank's program in one step.
struct StepEffects {
  std::int64_t device_per_mille = 1000;  // of the time of compute kernels
  std::int64_t host_per_mille = 1000;    // of all host time
  std::int64_t batch_ns = 0;             // time per batch of the data workers
  std::int64_t batch_lag_ns = 0;         // how much longer that is than the training takes
  std::int64_t link_per_mille = 1000;    // of the time of transfers
  std::int64_t outlier_per_mille = 0;    // share added to single transfers
  int pause_at = -1;                     // the pause point where the host pauses
  std::int64_t pause_ns = 0;
  std::int64_t favourite_per_mille = 0;  // load of a layer's favourite experts (routing.h)
};

// Immutable once made.
class JobPlan {
 public:
  // `healthy_step_ns`: step time of the same job without causes, the unit of some causes; 0 while
  // it is not known yet.
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
  Router router(int rank) const { return job_->RouterOf(rank); }
  std::string_view purpose(int rank) const { return job_->PurposeOf(rank); }
  // An allocator in the state that the steps before the recording left.
  const CachingAllocator& warm_allocator(int rank) const;
  // Of the largest program.
  std::uint32_t event_slots() const { return event_slots_; }
  std::uint32_t memory_slots() const { return memory_slots_; }

  const std::string& step_name(int step) const {
    return step_names_[static_cast<std::size_t>(step)];
  }
  Clock clock(int rank) const;

 private:
  // Role, active causes, variant of the batch.
  using ProgramKey = std::tuple<int, CauseSet, int>;

  // All ranks in the same stages as `ranks`; without any, those of the middle stage.
  std::vector<int> StagesOf(const std::vector<int>& ranks) const;
  ProgramKey KeyOf(int rank, int step) const;
  CauseSet StrikingAt(int rank, int step) const;
  int VariantOf(int rank, int step, const ActiveCauses& active) const;
  bool UnderPressure(int rank) const;
  ActiveCauses Active(CauseSet striking) const;
  void MakePrograms();
  void MakeAllocators();

  SimulateOptions options_;
  StepSize size_;
  CauseSet planted_;
  std::int64_t healthy_step_ns_;
  Library library_;
  std::unique_ptr<Job> job_;
  Layout layout_;
  std::vector<std::string> step_names_;  // "ProfilerStep#10", ...
  std::map<ProgramKey, Program> programs_;
  // By role, and whether the memory is nearly full.
  std::map<std::pair<int, bool>, CachingAllocator> allocators_;
  std::uint32_t event_slots_ = 0;
  std::uint32_t memory_slots_ = 0;
};

// The number of the first ProfilerStep#N: the profiler waits and warms up before it.
inline constexpr int kFirstStepNumber = 10;

// kInvalidArgument with the option's name when an option is out of range.
Status Validate(const SimulateOptions& options);

}  // namespace rankscope::sim
