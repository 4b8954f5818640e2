#include "post_training/rollouts/batches.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/saturating.h"

namespace rankscope::post_training {
namespace {

constexpr double kMore = 1.25;  // (n + m) / n
constexpr std::size_t kBatchesLeastSamples = 4;

// Ends of samples, from the batch's begin, at a quantile: the least end that this share has
// reached.
std::int64_t EndAt(const std::vector<std::int64_t>& sorted, double share) {
  const auto needed =
      static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size()) - 1e-9));
  return sorted[std::clamp<std::size_t>(needed, 1, sorted.size()) - 1];
}

void TakeSlots(const std::vector<const Rollout*>& samples, Batch& batch) {
  struct Edge {
    std::int64_t time;
    int change;
  };
  std::vector<Edge> edges;
  for (const Rollout* sample : samples) {
    edges.push_back({sample->begin, 1});
    edges.push_back({sample->end, -1});
  }
  // Who ends makes room for who begins at the same moment.
  std::ranges::sort(edges, {}, [](const Edge& edge) { return std::pair(edge.time, edge.change); });
  std::int64_t active = 0;
  for (const Edge& edge : edges) {
    active += edge.change;
    batch.slots = std::max(batch.slots, active);
  }
  active = 0;
  std::int64_t full_until = batch.begin;
  for (const Edge& edge : edges) {
    if (2 * active >= batch.slots) full_until = edge.time;
    active += edge.change;
  }
  batch.tail = batch.end - full_until;
  double in_tail = 0;
  for (const Rollout* sample : samples)
    in_tail += static_cast<double>(
        std::max<std::int64_t>(0, sample->end - std::max(sample->begin, full_until)));
  const double all = static_cast<double>(batch.slots) * static_cast<double>(batch.duration());
  if (all > 0)
    batch.tail_idle = std::clamp(
        (static_cast<double>(batch.slots) * static_cast<double>(batch.tail) - in_tail) / all, 0.0,
        1.0);
}

void TakeReplicas(const std::vector<const Rollout*>& samples, Batch& batch) {
  std::map<std::string, ReplicaLoad> loads;
  double sum = 0, squares = 0;
  for (const Rollout* sample : samples) {
    if (sample->replica.empty() || !sample->response_tokens) return;
    ReplicaLoad& load = loads[sample->replica];
    ++load.samples;
    load.tokens += *sample->response_tokens;
    load.end = std::max(load.end, sample->end - batch.begin);
    const auto tokens = static_cast<double>(*sample->response_tokens);
    sum += tokens;
    squares += tokens * tokens;
  }
  if (loads.size() < 2) return;
  std::int64_t most = 0;
  for (auto& [name, load] : loads) {
    load.replica = name;
    most = std::max(most, load.tokens);
    batch.replicas.push_back(load);
  }
  const auto count = static_cast<double>(samples.size());
  const double mean = sum / static_cast<double>(loads.size());
  if (most <= 0) return;
  batch.imbalance = 1 - mean / static_cast<double>(most);
  // Sums of count / replicas lengths scatter by sigma sqrt(count / replicas); the greatest of r
  // such lies about sqrt(2 ln r) deviations above their mean.
  const double variance = std::max(0.0, squares / count - (sum / count) * (sum / count));
  const double scatter = std::sqrt(variance * count / static_cast<double>(loads.size())) *
                         std::sqrt(2 * std::log(static_cast<double>(loads.size())));
  batch.by_chance = 1 - mean / (mean + scatter);
  const auto even = static_cast<std::int64_t>(static_cast<double>(batch.duration()) * mean /
                                              static_cast<double>(most));
  batch.gain_even = batch.duration() - std::max(even, std::min(batch.longest, batch.duration()));
}

Batch BatchOf(Count step, const std::vector<const Rollout*>& samples) {
  Batch batch{.step = step,
              .begin = samples.front()->begin,
              .end = samples.front()->end,
              .samples = static_cast<std::int64_t>(samples.size())};
  std::vector<std::int64_t> ends;
  for (const Rollout* sample : samples) {
    batch.begin = std::min(batch.begin, sample->begin);
    batch.end = std::max(batch.end, sample->end);
    AddSaturating(batch.sample_time, sample->end - sample->begin);
    batch.longest = std::max(batch.longest, sample->end - sample->begin);
    if (sample->tools)
      batch.tools = SaturatingAdd(batch.tools.value_or(0),
                                  std::min(*sample->tools, sample->end - sample->begin));
    ends.push_back(sample->end);
  }
  std::ranges::sort(ends);
  TakeSlots(samples, batch);
  if (samples.size() >= kBatchesLeastSamples) {
    batch.gain_p95 = batch.end - EndAt(ends, 0.95);
    batch.gain_more = batch.end - EndAt(ends, 1 / kMore);
    if (batch.slots > 0)
      batch.gain_partial =
          std::max<std::int64_t>(0, batch.duration() - batch.sample_time / batch.slots);
  }
  TakeReplicas(samples, batch);
  return batch;
}

}  // namespace

Batches BatchesOf(const std::vector<Rollout>& rollouts) {
  std::map<std::int64_t, std::vector<const Rollout*>> by_step;
  const bool has_steps =
      std::ranges::all_of(rollouts, [](const Rollout& one) { return one.step.has_value(); });
  for (const Rollout& rollout : rollouts)
    by_step[has_steps ? *rollout.step : 0].push_back(&rollout);
  Batches result;
  for (const auto& [step, samples] : by_step)
    result.batches.push_back(BatchOf(has_steps ? Count(step) : std::nullopt, samples));
  std::size_t overlapping = 0;
  for (std::size_t i = 0; i + 1 < result.batches.size(); ++i) {
    const Batch& here = result.batches[i];
    const std::int64_t both = here.end - result.batches[i + 1].begin;
    overlapping += both > here.duration() / 20;
  }
  result.is_continuous = result.batches.size() > 1 && 2 * overlapping >= result.batches.size() - 1;
  return result;
}

}  // namespace rankscope::post_training
