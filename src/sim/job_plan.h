// JobPlan: everything about a job that all its ranks share, worked out once from the options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "sim/catalog.h"
#include "sim/gpu.h"
#include "sim/simulate.h"

namespace rankscope::sim {

// How big a step is. A step has `micro_batches` forward and backward passes through `layers`
// layers, one all-reduce per layer and two more, and `optimizer_launches` kernels at its end.
struct StepSize {
  int layers = 1;
  int micro_batches = 1;
  int optimizer_launches = 2;
};

// Immutable once made; the views of its catalogue point into itself.
struct JobPlan {
  JobPlan(const SimulateOptions& job_options, const StepSize& step_size);
  JobPlan(const JobPlan&) = delete;
  JobPlan& operator=(const JobPlan&) = delete;

  SimulateOptions options;
  StepSize size;
  ModelShape model;
  Catalog catalog;
  std::int64_t optimizer_kernel_ns = 0;
  std::string group_ranks;              // "[0, 1, ...]" as Kineto prints it
  std::vector<std::string> step_names;  // "ProfilerStep#10", ...
  std::int64_t slow_per_mille = 1000;

  // Differentiable operations of one forward pass.
  int unit_count() const;
  // All-reduces of one step, in the order of their launch: head, layers from the last, embedding.
  int collective_count() const { return size.layers + 2; }
  std::int64_t bucket_elements(int collective) const;
  std::int64_t transfer_ns(int step, int collective) const;
  std::int64_t clock_offset_ns(int rank) const;
};

// The number of the first ProfilerStep#N: the profiler waited and warmed up before.
inline constexpr int kFirstStepNumber = 10;

// kInvalidArgument with the option's name when one is out of range.
Status Validate(const SimulateOptions& options);

}  // namespace rankscope::sim
