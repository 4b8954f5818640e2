// Work that repeats earlier work of the same step, with the same result.
#pragma once

#include <utility>
#include <vector>

#include "insight/evidence/loss/removal.h"
#include "insight/evidence/loss/selection.h"

namespace rankscope {

// Kernels and copies; collectives stay: parameters that are gathered again (FSDP) are needed.
inline Selection SelectDoneAgain(const RuleInput& input, Again again) {
  return SelectKinds(input, [&](const NodeKind& kind) {
    return kind.again == again && (kind.work == Work::kCompute || kind.work == Work::kCopy);
  });
}

// The job without it, its launches, and the host part of the repeated functions.
inline Scenario WithoutDoneAgain(const RuleInput& input, const Selection& selection, Again again) {
  const JobGraph& graph = input.graph();
  std::vector<bool> device(graph.nodes().size(), false);
  for (NodeId node = 0; node < device.size(); ++node) device[node] = selection.Has(node);
  std::vector<bool> gone = WithLaunches(graph, std::move(device));
  for (NodeId node = 0; node < gone.size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.again == again && !IsDevice(kind.work) && graph.StepOf(node) != kNoStep)
      gone[node] = true;
  }
  Scenario scenario = input.recorded();
  Remove(gone, scenario);
  return scenario;
}

}  // namespace rankscope
