#include "replay/job_graph/job_graph.h"

#include <algorithm>
#include <utility>

#include "replay/job_graph/job_graph_builder.h"

namespace rankscope {

std::uint32_t JobGraph::RankOf(NodeId node) const { return CaptureOf(node).rank; }

const JobGraph::CaptureNodes& JobGraph::CaptureOf(NodeId node) const {
  const auto block = std::partition_point(blocks_.begin(), blocks_.end(),
                                          [&](const Block& of) { return of.nodes.last <= node; });
  return captures_[block->capture];
}

void JobGraph::CountSteps(const StepFilter& chosen) {
  std::vector<bool> has_end(steps_.size(), false);
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (EndsStep(node)) has_end[StepOf(node)] = true;
  }
  std::vector<std::size_t> all;
  for (std::size_t step = 0; step < steps_.size(); ++step) {
    const bool begins = !steps_[step].follows_recorded || (step > 0 && has_end[step - 1]);
    if (!has_end[step] || !begins) continue;
    if (chosen && !chosen->contains(steps_[step].number)) continue;
    all.push_back(step);
    if (steps_[step].complete) counted_steps_.push_back(step);
  }
  if (counted_steps_.empty()) counted_steps_ = std::move(all);
}

Result<std::shared_ptr<const JobGraph>> BuildJobGraph(PartialStream& partials,
                                                      const JobContext& job,
                                                      const AcrossFacts& across,
                                                      const JobGraphLimits& limits) {
  return JobGraph::Builder(job, across, limits).Build(partials);
}

}  // namespace rankscope
