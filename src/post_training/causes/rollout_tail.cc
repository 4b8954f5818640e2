// rollout-tail: a few long samples keep the generator, most of whose slots are empty.
//
// Of a record: 10 % of the batches' slot-time is idle in their tails (batches.h), batches do not
// run into each other, and ending at p95 gains 3 %, by the recorded ends. It drops up to 5 % of the
// samples' work besides, so less is no finding.
// Of a log that tells samples (veRL's agent loop, waiting for a slot included): the slowest takes
// at least 80 % of generation, and the mean at most 40 % of that. Samples that end at an even pace
// until the last have a mean of half; so twice the mean is what generation would take without a
// tail, whether they wait for slots or not: gain G (1 - 2 mean / max), a bound.
// Generation that lies beside training costs only what the trainer waits. Where rollout-imbalance
// explains half of the gain or more, that is told alone.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "post_training/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::post_training {
namespace {

constexpr double kLeastIdle = 0.1, kLeastTailGain = 0.03, kSlowestOfAll = 0.8, kMeanOfSlowest = 0.4;

constexpr const char* kChange =
    "Let unfinished samples go on in the next step (veRL partial_rollout, AReaL), begin more "
    "samples than are needed and keep the first, or cap response length nearer to its 95th "
    "percentile; all of these favour short answers, so watch response_length and clip_ratio.";

bool IsExplained(const Causes& causes, double gain) {
  return std::ranges::any_of(causes.findings, [&](const Finding& one) {
    return one.id == "rollout-imbalance" && one.gain_pct.value_or(0) >= 50 * gain;
  });
}

void OfRecord(const Analysis& analysis, Causes& causes) {
  if (analysis.batches.is_continuous) return;
  double idle = 0, weight = 0, duration = 0, tail = 0;
  for (const Batch& batch : analysis.batches.batches) {
    const double slot_time =
        static_cast<double>(batch.slots) * static_cast<double>(batch.duration());
    idle += batch.tail_idle * slot_time;
    weight += slot_time;
    tail += static_cast<double>(batch.tail);
    duration += static_cast<double>(batch.duration());
  }
  if (weight <= 0 || duration <= 0 || idle / weight < kLeastIdle) return;
  const auto count = static_cast<double>(analysis.batches.batches.size());
  const auto gain_of = [&](std::int64_t Batch::*less) {
    std::map<std::int64_t, double> by_step;
    double sum = 0;
    for (const Batch& batch : analysis.batches.batches) {
      sum += static_cast<double>(batch.*less);
      if (batch.step) by_step[*batch.step] = static_cast<double>(batch.*less);
    }
    return GainOfGeneration(analysis, by_step, sum / count, duration / count);
  };
  const double gain = gain_of(&Batch::gain_p95);
  if (gain < kLeastTailGain || IsExplained(causes, gain)) return;
  const auto share = [&](std::int64_t Batch::*less) { return HumanPercent(100 * gain_of(less)); };
  Finding finding{.id = "rollout-tail",
                  .lost_pct = 100 * idle / weight *
                              (analysis.step() > 0 ? duration / count / analysis.step() : 1),
                  .gain_pct = 100 * gain,
                  .gain_method = "computed"};
  finding.title = fmt::format("A few long samples keep the generator: {} of its slot-time is idle",
                              HumanPercent(100 * idle / weight));
  finding.evidence = fmt::format(
      "over {} batches of {} samples less than half of the slots are active for the last {} of {}",
      analysis.batches.batches.size(), analysis.batches.batches.front().samples,
      HumanDuration(tail / count), HumanDuration(duration / count));
  finding.change = kChange;
  finding.gain_formula = fmt::format(
      "end at p95: {} {}; partial rollouts at most {}, a quarter more begun than kept {}",
      share(&Batch::gain_p95), GainBase(analysis), share(&Batch::gain_partial),
      share(&Batch::gain_more));
  causes.findings.push_back(std::move(finding));
}

// False where no step tells samples.
bool OfLog(const Analysis& analysis, Causes& causes) {
  double mean = 0, slowest = 0, count = 0;
  for (const LogStep& step : analysis.data.log_steps) {
    if (!step.facts.sample_mean_s || !step.facts.sample_max_s) continue;
    mean += *step.facts.sample_mean_s * 1e9;
    slowest += *step.facts.sample_max_s * 1e9;
    ++count;
  }
  if (count == 0) return false;
  mean /= count;
  slowest /= count;
  const double generation = analysis.overlap ? analysis.overlap->generate : 0;
  if (generation <= 0 || slowest < kSlowestOfAll * generation || slowest > 1.05 * generation ||
      mean > kMeanOfSlowest * slowest)
    return true;
  const double less = generation * (1 - 2 * mean / slowest);
  Finding finding{.id = "rollout-tail",
                  .lost_pct = 100 * std::min(1.0, less / analysis.step()),
                  .gain_pct = 100 * GainOfGeneration(analysis, {}, less, generation),
                  .gain_method = "bound"};
  finding.title = fmt::format("Generation waits for its slowest sample: {}, the mean takes {}",
                              HumanDuration(slowest), HumanDuration(mean));
  finding.evidence = fmt::format(
      "of {} steps generation takes {}, and its slowest sample {} of that: few samples are long, "
      "or a replica has more of them, which a record of rollouts tells apart",
      count, HumanDuration(generation), HumanPercent(100 * slowest / generation));
  finding.change = kChange;
  finding.gain_formula =
      fmt::format("partial rollouts: G (1 - 2 mean / max) = {} of a generation of {}",
                  HumanDuration(less), HumanDuration(generation));
  causes.findings.push_back(std::move(finding));
  return true;
}

}  // namespace

void FindRolloutTail(const Analysis& analysis, Causes& causes) {
  if (!analysis.data.rollouts.empty()) {
    OfRecord(analysis, causes);
    return;
  }
  if (!OfLog(analysis, causes))
    causes.unchecked.emplace_back(
        "rollout-tail: needs a record of rollouts with begin and end, or veRL's "
        "timing_s/agent_loop/generate_sequences");
}

}  // namespace rankscope::post_training
