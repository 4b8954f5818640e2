#include "sim/step_size.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "sim/engine/rank_engine.h"
#include "sim/job_plan.h"
#include "sim/recorder.h"

namespace rankscope::sim {
namespace {

constexpr int kMaxLayers = 64;  // beyond, a step has more micro-batches
constexpr int kMaxOptimizerLaunches = 256;

constexpr int kLayersApart = 20;  // what causes do to some layers evens out over so many

std::int64_t CountOne(const JobPlan& plan, int rank) {
  AloneRendezvous alone;
  Recorder recorder(plan, rank, nullptr);
  RankEngine(plan, rank, &alone, &recorder).Run();
  return static_cast<std::int64_t>(recorder.counts().events);
}

// Events that a rank has more of, over all its steps, with one more of a size. The events of a step
// are a sum of parts that are proportional to the sizes; the parts are found by counting jobs that
// differ in one size.
struct Slopes {
  std::int64_t layer = 0;
  std::int64_t micro_batch = 0;           // without its layers but one
  std::int64_t layer_of_micro_batch = 0;  // of every micro-batch but one
  std::int64_t launch = 0;

  std::int64_t PerLayer(int micro_batches) const {
    return layer + (micro_batches - 1) * layer_of_micro_batch;
  }
};

Slopes MeasureSlopes(const SimulateOptions& options) {
  const std::int64_t base = CountEvents(options, {});
  const auto more = [&](const StepSize& size) { return CountEvents(options, size) - base; };
  constexpr int kMany = 1 + kLayersApart;
  Slopes slopes;
  const std::int64_t layers = more({.layers = kMany});
  slopes.layer = layers / kLayersApart;
  slopes.micro_batch = more({.micro_batches = 2});
  slopes.layer_of_micro_batch =
      (more({.layers = kMany, .micro_batches = 2}) - layers - slopes.micro_batch) / kLayersApart;
  slopes.launch = more({.optimizer_launches = 3});
  return slopes;
}

// As many micro-batches as it takes to have at most kMaxLayers layers, for `events` beyond those of
// the smallest job.
StepSize FirstGuess(std::int64_t events, const Slopes& slopes) {
  for (StepSize size;; ++size.micro_batches) {
    const std::int64_t rest = events - (size.micro_batches - 1) * slopes.micro_batch;
    const std::int64_t layers =
        1 + std::max<std::int64_t>(rest, 0) / slopes.PerLayer(size.micro_batches);
    if (layers > kMaxLayers) continue;
    size.layers = static_cast<int>(layers);
    return size;
  }
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
  const std::int64_t least = CountEvents(options, {});
  if (options.events_per_rank < least) {
    return Error(StatusCode::kInvalidArgument,
                 "events: {} per rank are too few for {} steps, which need at least {}",
                 options.events_per_rank, options.steps, least);
  }
  const Slopes slopes = MeasureSlopes(options);
  StepSize size = FirstGuess(options.events_per_rank - least, slopes);
  // Causes that strike in some steps or layers only make the slopes inexact.
  constexpr int kTrials = 12;
  StepSize best;
  std::int64_t best_rest = options.events_per_rank - least;
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::int64_t rest = options.events_per_rank - CountEvents(options, size);
    if (rest >= 0 && rest <= best_rest) std::tie(best, best_rest) = std::tie(size, rest);
    const auto per_layer = static_cast<double>(slopes.PerLayer(size.micro_batches));
    const auto more = static_cast<int>(std::floor(static_cast<double>(rest) / per_layer));
    if (more == 0) break;
    if (more < 0 && size.layers == 1 && size.micro_batches > 1) {
      --size.micro_batches;
    } else {
      size.layers = std::max(1, size.layers + more);
    }
  }
  best.optimizer_launches += static_cast<int>(std::min<std::int64_t>(
      best_rest / slopes.launch, kMaxOptimizerLaunches - best.optimizer_launches));
  return best;
}

}  // namespace rankscope::sim
