#include "insight/evidence/steps/few_steps.h"

#include <algorithm>
#include <functional>
#include <set>

namespace rankscope {

bool IsOfFewSteps(std::span<const std::int64_t> of_steps) {
  constexpr std::size_t kLeastSteps = 4, kPart = 3;
  constexpr double kNearlyAll = 0.8, kLittle = 0.2;
  if (of_steps.size() < kLeastSteps) return false;
  std::vector<std::int64_t> sorted(of_steps.begin(), of_steps.end());
  std::ranges::sort(sorted, std::greater());
  double all = 0, most = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    all += static_cast<double>(sorted[i]);
    if (i < std::max<std::size_t>(1, sorted.size() / kPart)) most += static_cast<double>(sorted[i]);
  }
  const double mean = all / static_cast<double>(sorted.size());
  return all > 0 && most >= kNearlyAll * all &&
         static_cast<double>(sorted[sorted.size() / 2]) <= kLittle * mean;
}

bool LieInFewSteps(const RuleInput& input, const std::vector<NodeId>& nodes) {
  std::set<std::uint32_t> steps;
  for (const NodeId node : nodes) steps.insert(input.graph().StepOf(node));
  return 2 * steps.size() < input.counted().size();
}

std::vector<std::size_t> IndexOfCounted(const RuleInput& input) {
  std::vector<std::size_t> index(input.graph().steps().size(), 0);
  for (std::size_t i = 0; i < input.counted().size(); ++i) index[input.counted()[i]] = i;
  return index;
}

}  // namespace rankscope
