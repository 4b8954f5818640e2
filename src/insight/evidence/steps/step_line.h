// Times in the order of steps, as a line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// By Theil and Sen.
struct StepLine {
  double first = 0, last = 0;  // at the first and the last step
  double chance = 1;           // that times in random order show as clear a trend (Mann-Kendall)
  double mean = 0;

  double Growth() const { return last - first; }
  bool Grows(double most_chance, double least_growth) const {
    return chance <= most_chance && Growth() >= least_growth * mean;
  }
  // Of steps: rarely by chance, or, where it is much, less rarely.
  bool IsOfGrowingSteps(double least_growth) const;
  // At the step of that place among so many.
  double At(std::size_t place, std::size_t count) const {
    return count < 2
               ? first
               : first + Growth() * static_cast<double>(place) / static_cast<double>(count - 1);
  }
};

// Fewer steps are in order by chance too often; five are once in sixty.
inline constexpr std::size_t kEnoughStepsForALine = 5;

// O(n log n); neighbouring steps are put together to 20: up to there chance is counted exactly.
StepLine LineOfSteps(const std::vector<std::int64_t>& times);

// The counted steps of the phase that has most of them, by time.
std::vector<std::size_t> StepsInOrder(const RuleInput& input);

}  // namespace rankscope
