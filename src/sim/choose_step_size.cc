#include "sim/choose_step_size.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/engine/rank_engine.h"
#include "sim/engine/recorder.h"
#include "sim/jobs/job_plan.h"
#include "sim/model/job_defaults.h"

namespace rankscope::sim {
namespace {

// Beyond so many layers, a step has more micro-batches.
int MaxLayers(JobKind job) { return job == JobKind::kDlrm ? 12 : 64; }
constexpr int kMaxOptimizerLaunches = 1024;

constexpr int kLayersApart = 20;  // what causes do to some layers evens out over so many

std::int64_t CountOne(const JobPlan& plan, int rank) {
  AloneRendezvous alone;
  Recorder recorder(plan, rank, nullptr);
  RankEngine(plan, rank, &alone, &recorder).Run();
  return static_cast<std::int64_t>(recorder.counts().events);
}

// Micro-batches come in so many: an interleaved schedule takes as many as there are stages at a
// time.
int BatchesAtATime(const SimulateOptions& options) {
  return options.virtual_stages > 1 ? WithDefaults(options).degrees.pp : 1;
}

// Events that a rank has more of, over all its steps, with one more of a size. The events of a step
// are a sum of parts that are proportional to the sizes; the parts are found by counting jobs that
// differ in one size.
struct Slopes {
  std::int64_t layer = 0;
  std::int64_t micro_batch = 0;           // (or BatchesAtATime) without its layers but one
  std::int64_t layer_of_micro_batch = 0;  // of every one more than the fewest
  std::int64_t launch = 0;

  std::int64_t PerLayer(int more_micro_batches) const {
    return layer + more_micro_batches * layer_of_micro_batch;
  }
};

Slopes MeasureSlopes(const SimulateOptions& options, const StepSize& smallest) {
  const std::int64_t base = CountEvents(options, smallest);
  const auto more = [&](int layers, int micro_batches, int launches) {
    return CountEvents(options, {smallest.layers + layers, smallest.micro_batches + micro_batches,
                                 smallest.optimizer_launches + launches}) -
           base;
  };
  Slopes slopes;
  const int batches = BatchesAtATime(options);
  const std::int64_t layers = more(kLayersApart, 0, 0);
  slopes.layer = layers / kLayersApart;
  slopes.micro_batch = more(0, batches, 0);
  slopes.layer_of_micro_batch =
      (more(kLayersApart, batches, 0) - layers - slopes.micro_batch) / kLayersApart;
  slopes.launch = more(0, 0, 1);
  return slopes;
}

// As many micro-batches as it takes to have at most MaxLayers layers, for `events` beyond those of
// the smallest job.
StepSize FirstGuess(const SimulateOptions& options, const StepSize& smallest, std::int64_t events,
                    const Slopes& slopes) {
  const int batches = BatchesAtATime(options);
  for (StepSize size = smallest;; size.micro_batches += batches) {
    const int more = (size.micro_batches - smallest.micro_batches) / batches;
    const std::int64_t rest = events - more * slopes.micro_batch;
    const std::int64_t layers = 1 + std::max<std::int64_t>(rest, 0) / slopes.PerLayer(more);
    if (layers > MaxLayers(options.job) && options.micro_batches == 0) continue;
    size.layers = static_cast<int>(layers);
    return size;
  }
}

// The smallest step that is worth it: a pipeline wants four micro-batches per stage, but takes
// fewer where they would be too many events.
StepSize Smallest(const SimulateOptions& options) {
  if (options.micro_batches > 0) return {.micro_batches = options.micro_batches};
  if (options.job != JobKind::kThreeD) return {};
  const int stages = WithDefaults(options).degrees.pp;
  for (const int per_stage : {4, 2}) {
    const StepSize size{.micro_batches = per_stage * stages};
    if (CountEvents(options, size) <= options.events_per_rank) return size;
  }
  return {.micro_batches = stages};
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
  const StepSize smallest = Smallest(options);
  const std::int64_t least = CountEvents(options, smallest);
  if (options.events_per_rank < least) {
    return Error(StatusCode::kInvalidArgument,
                 "events: {} per rank are too few for {} steps, which need at least {}",
                 options.events_per_rank, options.steps, least);
  }
  const Slopes slopes = MeasureSlopes(options, smallest);
  StepSize size = FirstGuess(options, smallest, options.events_per_rank - least, slopes);
  // Causes that strike in some steps or layers only make the slopes inexact.
  constexpr int kTrials = 12;
  const int batches = BatchesAtATime(options);
  StepSize best = smallest;
  std::int64_t best_rest = options.events_per_rank - least;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::int64_t rest = options.events_per_rank - CountEvents(options, size);
    if (rest >= 0 && rest <= best_rest) std::tie(best, best_rest) = std::tie(size, rest);
    const auto per_layer = static_cast<double>(
        slopes.PerLayer((size.micro_batches - smallest.micro_batches) / batches));
    const auto more = static_cast<int>(std::floor(static_cast<double>(rest) / per_layer));
    if (more == 0) break;
    if (more < 0 && size.layers == 1 && size.micro_batches > smallest.micro_batches) {
      size.micro_batches -= batches;
    } else {
      size.layers = std::max(1, size.layers + more);
    }
  }
  best.optimizer_launches += static_cast<int>(std::min<std::int64_t>(
      best_rest / slopes.launch, kMaxOptimizerLaunches - best.optimizer_launches));
  return best;
}

}  // namespace rankscope::sim
