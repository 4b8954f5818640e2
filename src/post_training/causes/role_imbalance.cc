// role-imbalance: generator and trainer run side by side, and one waits for the other.
//
// The trainer waits for 10 % of the step and generation takes longer than its own work, or the
// generator does not generate for 10 % of the step, syncs aside, and is the shorter. Where the
// devices of both are known the finding stands when another split of them gains 3 %: 1 - the mean
// step with the best split / that with the one of now, both by the formula of overlap.h. So what
// other devices do not mend, and what checkpoints make of it, is not told.
#include <fmt/core.h>

#include <algorithm>

#include "post_training/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::post_training {
namespace {

constexpr double kRoleImbalanceLeastWait = 0.1, kLeastOverlap = 0.5, kLeastShareGained = 0.03;

}  // namespace

void FindRoleImbalance(const Analysis& analysis, Causes& causes) {
  const auto& overlap = analysis.overlap;
  if (!overlap || !overlap->is_split || overlap->step <= 0) return;
  if (overlap->OverlapShare() < kLeastOverlap) return;
  const double trainer_waits = overlap->wait / overlap->step;
  const double generator_waits =
      std::max(0.0, 1 - (overlap->generate + overlap->sync) / overlap->step);
  const bool is_generator_short =
      trainer_waits >= kRoleImbalanceLeastWait && overlap->generate > overlap->train;
  const bool is_trainer_short =
      generator_waits >= kRoleImbalanceLeastWait && overlap->train > overlap->generate;
  if (!is_generator_short && !is_trainer_short) return;
  Finding finding{.id = "role-imbalance",
                  .lost_pct = 100 * (is_generator_short ? trainer_waits : generator_waits)};
  finding.title = is_generator_short
                      ? fmt::format("The trainer waits for the generator for {} of each step",
                                    HumanPercent(100 * trainer_waits))
                      : fmt::format("The generator waits for the trainer for {} of each step",
                                    HumanPercent(100 * generator_waits));
  finding.evidence = fmt::format(
      "a step's samples take {} to generate and {} to train on, side by side for {} of the shorter",
      HumanDuration(overlap->generate), HumanDuration(overlap->train),
      HumanPercent(100 * overlap->OverlapShare()));
  if (!overlap->best) {
    finding.no_gain =
        "how many devices each role has is not known: --generate-gpus and --train-gpus say it";
    finding.change = is_generator_short ? "Move devices from the trainer to the generator."
                                        : "Move devices from the generator to the trainer.";
    causes.findings.push_back(std::move(finding));
    return;
  }
  const BestSplit& best = *overlap->best;
  const double gain = best.now > 0 ? 1 - best.step / best.now : 0;
  if (gain < kLeastShareGained) return;
  finding.gain_pct = 100 * gain;
  finding.gain_method = "bound";
  finding.change = fmt::format(
      "Give {} devices to the generator and {} to the trainer; now they have {} and {}.",
      best.generate_gpus, best.train_gpus, *overlap->generate_gpus, *overlap->train_gpus);
  finding.gain_formula = fmt::format(
      "min over g of mean max(G {0}/g, T {1}/({2}-g) + F) + S = {3} against {4} with those of now",
      *overlap->generate_gpus, *overlap->train_gpus, *overlap->generate_gpus + *overlap->train_gpus,
      HumanDuration(best.step), HumanDuration(best.now));
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::post_training
