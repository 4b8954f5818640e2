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

double GainOfGeneration(const Analysis& analysis, const std::map<std::int64_t, double>& by_step,
                        double mean, double generation) {
  const RoleSteps* pace = analysis.pace();
  if (pace == nullptr || pace->wall() <= 0) return generation > 0 ? mean / generation : 0;
  const Phase phase = pace->kind == RoleKind::kColocated ? Phase::kGenerate : Phase::kWait;
  double less = 0;
  for (const RoleStep& step : pace->steps) {
    if (!step.is_counted) continue;
    const auto known = by_step.find(step.step);
    less += std::clamp(known == by_step.end() ? mean : known->second, 0.0,
                       static_cast<double>(At(step.phases, phase)));
  }
  return less / static_cast<double>(pace->wall());
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
