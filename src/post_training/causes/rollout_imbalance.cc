// rollout-imbalance: some replicas of the generator have more to generate than others.
//
// In half of the batches, two at least, the share 1 - mean / max of the replicas' tokens exceeds
// what lengths drawn at random would make (batches.h) by 5 percentage points; below 4 samples a
// replica nothing is said. Gain: D (1 - mean / max), at most down to the longest sample.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "post_training/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::post_training {
namespace {

constexpr double kBeyondChance = 0.05;
constexpr std::int64_t kRolloutImbalanceLeastSamples = 4, kLeastBatches = 2;

}  // namespace

void FindRolloutImbalance(const Analysis& analysis, Causes& causes) {
  std::int64_t judged = 0, uneven = 0;
  double less = 0, duration = 0, imbalance = 0;
  std::map<std::string, double> tokens;
  std::map<std::int64_t, double> by_step;
  for (const Batch& batch : analysis.batches.batches) {
    const auto replicas = static_cast<std::int64_t>(batch.replicas.size());
    if (replicas < 2 || batch.samples < kRolloutImbalanceLeastSamples * replicas) continue;
    ++judged;
    uneven += batch.imbalance > batch.by_chance + kBeyondChance;
    less += static_cast<double>(batch.gain_even);
    if (batch.step) by_step[*batch.step] = static_cast<double>(batch.gain_even);
    duration += static_cast<double>(batch.duration());
    imbalance += batch.imbalance;
    for (const ReplicaLoad& load : batch.replicas)
      tokens[load.replica] += static_cast<double>(load.tokens);
  }
  if (judged < kLeastBatches) {
    causes.unchecked.emplace_back(
        "rollout-imbalance: needs a record of rollouts with replica and response_tokens, of two "
        "steps or more");
    return;
  }
  if (analysis.batches.is_continuous || uneven < kLeastBatches || 2 * uneven < judged) return;
  const auto count = static_cast<double>(judged);
  less /= count;
  duration /= count;
  imbalance /= count;
  const auto most =
      std::ranges::max_element(tokens, {}, [](const auto& one) { return one.second; });
  double all = 0;
  for (const auto& [replica, sum] : tokens) all += sum;
  const double gain = GainOfGeneration(analysis, by_step, less, duration);
  Finding finding{
      .id = "rollout-imbalance",
      .lost_pct = 100 * (analysis.step() > 0 ? less / analysis.step() : less / duration),
      .gain_pct = 100 * gain,
      .gain_method = "bound"};
  finding.title = fmt::format("Replicas of the generator have uneven work: 1 - mean / max is {}",
                              HumanPercent(100 * imbalance));
  finding.evidence = fmt::format(
      "in {} of {} batches tokens are less even than random lengths make them; replica {} "
      "generates {} of all, an even part is {}",
      uneven, judged, most->first, HumanPercent(100 * most->second / all),
      HumanPercent(100 / static_cast<double>(tokens.size())));
  finding.change =
      "Give samples to the replica with the fewest tokens under way, not by turns or by prompt; "
      "split groups of one prompt over replicas where the prefix cache allows it.";
  finding.gain_formula =
      fmt::format("D (1 - mean / max), at most to the longest sample: {} of {} {}",
                  HumanDuration(less), HumanDuration(duration), GainBase(analysis));
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::post_training
