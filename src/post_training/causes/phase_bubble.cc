// phase-bubble: generator and trainer have devices of their own and take turns.
//
// The trainer waits for at least 5 % of the step, and less than half of what could lie side by side
// does. Gain: 1 - (max(G, B) + S) / Z, the step of roles that run side by side (overlap.h).
#include <fmt/core.h>

#include "post_training/causes/cause.h"
#include "table/human_number.h"

namespace rankscope::post_training {
namespace {

constexpr double kPhaseBubbleLeastWait = 0.05, kMostOverlap = 0.5;

}  // namespace

void FindPhaseBubble(const Analysis& analysis, Causes& causes) {
  const auto& overlap = analysis.overlap;
  if (!overlap) {
    causes.unchecked.emplace_back(
        "phase-bubble: needs the times of generation and of training in one run");
    return;
  }
  if (!overlap->is_split || overlap->step <= 0) return;
  const double waits = overlap->wait / overlap->step;
  if (waits < kPhaseBubbleLeastWait || overlap->OverlapShare() >= kMostOverlap) return;
  const double gain = 1 - overlap->SideBySide() / overlap->step;
  Finding finding{.id = "phase-bubble",
                  .lost_pct = 100 * waits,
                  .gain_pct = 100 * gain,
                  .gain_method = "bound"};
  finding.title = fmt::format(
      "Generator and trainer take turns: the trainer waits for samples for {} of each step",
      HumanPercent(100 * waits));
  finding.evidence = fmt::format(
      "of a step of {} generation takes {} and the trainer's own work {}; {} of the shorter lies "
      "beside the other",
      HumanDuration(overlap->step), HumanDuration(overlap->generate), HumanDuration(overlap->train),
      HumanPercent(100 * overlap->OverlapShare()));
  finding.change =
      "Let the generator work on the next batch while the trainer trains on this one: one step off "
      "(veRL one_step_off_policy, torchforge and AReaL with a buffer) or fully asynchronous; mind "
      "the staleness that the algorithm bears.";
  finding.gain_formula = fmt::format(
      "1 - (max(G, B) + S) / Z = 1 - (max({}, {}) + {}) / {}", HumanDuration(overlap->generate),
      HumanDuration(overlap->train), HumanDuration(overlap->sync), HumanDuration(overlap->step));
  causes.findings.push_back(std::move(finding));
}

}  // namespace rankscope::post_training
