#include "insight/evidence/device_idle.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace rankscope {

DeviceIdle::DeviceIdle(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  if (input.counted().empty() || input.step_ns() <= 0) return;
  double least_busy = 1;
  bool any = false;
  std::vector<std::pair<std::int64_t, std::int64_t>> work;
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    work.clear();
    for (const NodeId node : capture.nodes()) {
      if (graph.KindOf(node).work == Work::kCompute && input.Counts(node))
        work.emplace_back(input.now().BeginOf(node), input.now().EndOf(node));
    }
    if (work.empty()) continue;
    any = true;
    std::sort(work.begin(), work.end());
    std::int64_t busy = 0, until = INT64_MIN;
    for (const auto& [begin, end] : work) {
      busy += std::max<std::int64_t>(0, end - std::max(begin, until));
      until = std::max(until, end);
    }
    least_busy = std::min(least_busy, input.ShareOfSteps(busy));
  }
  if (any) share = std::clamp(1 - least_busy, 0.0, 1.0);
}

}  // namespace rankscope
