#include "post_training/rollouts/staleness.h"

#include <algorithm>
#include <map>

namespace rankscope::post_training {

Staleness StalenessOf(const PostData& data) {
  std::map<std::int64_t, std::int64_t> counts;
  for (const Rollout& rollout : data.rollouts) {
    if (rollout.weight_version && rollout.trained_version &&
        *rollout.trained_version >= *rollout.weight_version)
      ++counts[*rollout.trained_version - *rollout.weight_version];
  }
  Staleness result;
  double sum = 0, samples = 0;
  for (const auto& [versions, count] : counts) {
    result.bins.push_back({.versions = versions, .samples = count});
    sum += static_cast<double>(versions) * static_cast<double>(count);
    samples += static_cast<double>(count);
    result.most = static_cast<double>(versions);
  }
  if (samples > 0) {
    result.mean = sum / samples;
    return result;
  }
  for (const LogStep& step : data.log_steps) {
    if (step.facts.staleness_mean) {
      sum += *step.facts.staleness_mean;
      ++samples;
    }
    if (step.facts.staleness_max)
      result.most = std::max(result.most.value_or(0), *step.facts.staleness_max);
  }
  if (samples > 0) result.mean = sum / samples;
  result.is_of_log = result.mean.has_value();
  return result;
}

}  // namespace rankscope::post_training
