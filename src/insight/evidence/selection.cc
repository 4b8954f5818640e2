#include "insight/evidence/selection.h"

#include <fmt/core.h>

#include "insight/base/cause_tools.h"

namespace rankscope {

std::string Selection::LaunchingText(const Scenario& without) const {
  constexpr double kLittle = 0.1;
  double sum_ns = 0;
  for (NodeId node = 0; node < has_.size(); ++node) {
    if (has_[node] || !input_->Counts(node)) continue;
    sum_ns +=
        static_cast<double>(input_->graph().nodes()[node].duration_ns - without.DurationOf(node));
  }
  const double ns = sums_.PerStep(sum_ns);
  if (ns <= 0 || ns < kLittle * sums_.LostPerStep()) return "";
  return fmt::format("; launching them takes the host {}", TimeText(ns));
}

}  // namespace rankscope
