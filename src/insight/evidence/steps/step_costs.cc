#include "insight/evidence/steps/step_costs.h"

#include <algorithm>

#include "insight/base/thresholds.h"

namespace rankscope {

void StepCosts::TellIn(Cause& cause) const {
  const double most =
      lost_ns_.empty() ? 0
                       : static_cast<double>(*std::max_element(lost_ns_.begin(), lost_ns_.end()));
  const double least = std::max(kLowGain * input_->step_ns(), 0.1 * most);
  const auto ranks = static_cast<std::ptrdiff_t>(input_->ranks());
  cause.steps.clear();
  for (const std::size_t step : input_->counted()) {
    const auto first = lost_ns_.begin() + static_cast<std::ptrdiff_t>(step) * ranks;
    if (static_cast<double>(*std::max_element(first, first + ranks)) >= least)
      cause.steps.push_back(static_cast<std::uint32_t>(step));
  }
  if (cause.steps.size() == input_->counted().size()) cause.steps.clear();
}

}  // namespace rankscope
