#include "insight/evidence/steps/step_costs.h"

#include <algorithm>
#include <numeric>

#include "insight/base/thresholds.h"

namespace rankscope {
namespace {

constexpr double kMostOfLoss = 0.8;

}  // namespace

void StepCosts::TellIn(Cause& cause) const {
  const double most =
      lost_ns_.empty() ? 0
                       : static_cast<double>(*std::max_element(lost_ns_.begin(), lost_ns_.end()));
  const double least = std::max(kLowGain * input_->step_ns(), 0.1 * most);
  const auto ranks = static_cast<std::ptrdiff_t>(input_->ranks());
  cause.steps.clear();
  cause.lost_there_ns.reset();
  double all_ns = 0, told_ns = 0, there_ns = 0;
  std::size_t there = 0;  // steps of ranks
  for (const std::size_t step : input_->counted()) {
    const auto first = lost_ns_.begin() + static_cast<std::ptrdiff_t>(step) * ranks;
    const auto of_step =
        static_cast<double>(std::accumulate(first, first + ranks, std::int64_t{0}));
    all_ns += of_step;
    if (static_cast<double>(*std::max_element(first, first + ranks)) < least) continue;
    cause.steps.push_back(static_cast<std::uint32_t>(step));
    told_ns += of_step;
    for (auto of_rank = first; of_rank != first + ranks; ++of_rank) {
      if (static_cast<double>(*of_rank) < least) continue;
      there_ns += static_cast<double>(*of_rank);
      ++there;
    }
  }
  // What lies in all steps in small parts is of all.
  if (cause.steps.size() == input_->counted().size() || told_ns < kMostOfLoss * all_ns)
    cause.steps.clear();
  if (!cause.steps.empty())
    cause.lost_there_ns = static_cast<std::int64_t>(there_ns / static_cast<double>(there));
}

}  // namespace rankscope
