#include "post_training/causes/cause.h"

#include <algorithm>
#include <utility>

namespace rankscope::post_training {
namespace {

constexpr double kLeastGain = 1;  // % of the step

double Worth(const Finding& finding) {
  return finding.gain_pct.value_or(finding.lost_pct.value_or(0));
}

}  // namespace

std::string_view Finding::severity() const {
  const double worth = Worth(*this);
  return worth >= 10 ? "high" : worth >= 3 ? "medium" : "low";
}

double GainOfGeneration(const Analysis& analysis, double less, double generation) {
  const double step = analysis.step();
  if (step <= 0) return generation > 0 ? less / generation : 0;
  const auto& overlap = analysis.overlap;
  if (overlap && overlap->is_split && overlap->OverlapShare() >= 0.5) {
    const double now = overlap->SideBySide();
    const double then = std::max(overlap->generate - less, overlap->train) + overlap->sync;
    return now > 0 ? std::max(0.0, 1 - then / now) : 0;
  }
  return std::clamp(less / step, 0.0, 1.0);
}

const char* GainBase(const Analysis& analysis) {
  return analysis.step() > 0 ? "of the step" : "of generation";
}

Causes FindCauses(const Analysis& analysis) {
  Causes causes;
  FindPhaseBubble(analysis, causes);
  FindRoleImbalance(analysis, causes);
  FindRolloutImbalance(analysis, causes);
  FindRolloutTail(analysis, causes);
  FindWeightSync(analysis, causes);
  FindRewardWait(analysis, causes);
  FindCheckpointInLoop(analysis, causes);
  FindPaddingWaste(analysis, causes);
  std::erase_if(causes.findings, [](const Finding& one) { return Worth(one) < kLeastGain; });
  std::ranges::stable_sort(causes.findings, {}, [](const Finding& one) { return -Worth(one); });
  return causes;
}

}  // namespace rankscope::post_training
