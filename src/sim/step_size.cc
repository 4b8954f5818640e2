#include "sim/step_size.h"

#include <algorithm>
#include <map>

#include "sim/engine/rank_engine.h"
#include "sim/job_plan.h"
#include "sim/recorder.h"

namespace rankscope::sim {
namespace {

constexpr int kMaxLayers = 64;  // beyond, a step has more micro-batches
constexpr int kMaxOptimizerLaunches = 256;

// Events that one rank writes in a job of one or two steps of this size.
struct Measured {
  std::int64_t outside = 0;  // once per file
  std::int64_t per_step = 0;
};

Measured Measure(SimulateOptions options, const StepSize& size) {
  options.steps = 1;
  const std::int64_t one = CountEvents(options, size);
  options.steps = 2;
  const std::int64_t two = CountEvents(options, size);
  return {.outside = one - (two - one), .per_step = two - one};
}

std::int64_t CountOne(const JobPlan& plan, int rank) {
  AloneRendezvous alone;
  Recorder recorder(plan, rank, nullptr);
  RankEngine(plan, rank, &alone, &recorder).Run();
  return static_cast<std::int64_t>(recorder.counts().events);
}

}  // namespace

std::int64_t CountEvents(const SimulateOptions& options, const StepSize& size) {
  const JobPlan plan(options, size, kAllCauses, 0);
  std::map<const Program*, std::int64_t> counts;  // by the program of the first step
  std::int64_t sum = 0;
  for (int rank = 0; rank < options.ranks; ++rank) {
    const auto [at, added] = counts.try_emplace(&plan.program(rank, 0));
    if (added) at->second = CountOne(plan, rank);
    sum += at->second;
  }
  return sum / options.ranks;
}

Result<StepSize> ChooseStepSize(const SimulateOptions& options) {
  // The events of a step are a sum of parts that are proportional to the sizes; the parts are found
  // by counting jobs that differ in one size.
  const StepSize smallest;
  const Measured base = Measure(options, smallest);
  const auto larger_by = [&](const StepSize& size) {
    return Measure(options, size).per_step - base.per_step;
  };
  const std::int64_t layer_once = larger_by({.layers = 2});
  const std::int64_t micro_one_layer = larger_by({.micro_batches = 2});
  const std::int64_t layer_per_micro =
      larger_by({.layers = 2, .micro_batches = 2}) - layer_once - micro_one_layer;
  const std::int64_t launch = larger_by({.optimizer_launches = 3});

  const std::int64_t budget = (options.events_per_rank - base.outside) / options.steps;
  if (budget < base.per_step) {
    return Error(StatusCode::kInvalidArgument,
                 "events: {} per rank are too few for {} steps, which need at least {}",
                 options.events_per_rank, options.steps,
                 base.outside + options.steps * base.per_step);
  }
  StepSize size;
  std::int64_t rest = 0;
  for (;; ++size.micro_batches) {
    const std::int64_t extra = size.micro_batches - 1;
    const std::int64_t per_layer = layer_once + extra * layer_per_micro;
    rest = budget - base.per_step - extra * micro_one_layer;
    if (rest < 0) return Error(StatusCode::kInternal, "no step size for {} events", budget);
    if (rest / per_layer + 1 > kMaxLayers) continue;
    size.layers = static_cast<int>(rest / per_layer) + 1;
    rest %= per_layer;
    break;
  }
  size.optimizer_launches += static_cast<int>(
      std::min<std::int64_t>(rest / launch, kMaxOptimizerLaunches - smallest.optimizer_launches));
  return size;
}

}  // namespace rankscope::sim
