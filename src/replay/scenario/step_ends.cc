#include "replay/scenario/step_ends.h"

#include <algorithm>

namespace rankscope {

StepEnds::StepEnds(const JobGraph& graph)
    : graph_(&graph), end_(graph.steps().size(), INT64_MIN), last_(graph.steps().size(), kNoNode) {}

void StepEnds::Finish() {
  for (std::size_t step = 1; step < end_.size(); ++step) {
    if (graph_->steps()[step].follows_recorded && end_[step] != INT64_MIN)
      end_[step] = std::max(end_[step], end_[step - 1]);
  }
}

std::int64_t StepEnds::Begin(std::size_t step) const {
  const JobGraph::Step& of = graph_->steps()[step];
  if (of.follows_recorded && end_[step - 1] != INT64_MIN) return end_[step - 1];
  return std::min(of.recorded_begin_ns, end_[step]);
}

double StepEnds::Mean() const {
  double sum = 0;
  const std::vector<std::size_t>& counted = graph_->counted_steps();
  for (const std::size_t step : counted) sum += static_cast<double>(Time(step));
  return counted.empty() ? 0 : sum / static_cast<double>(counted.size());
}

}  // namespace rankscope
