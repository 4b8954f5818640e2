// The stages of the job's pipelines, and what they compute.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "insight/base/rule_input.h"

namespace rankscope {

// Work of forward or backward.
bool IsOfPasses(const NodeKind& kind);
// Not each recording tells the phase of a kernel; its name may.
bool IsOfBackward(const NodeKind& kind);
// A collective inside of passes, not a send between stages.
bool IsExchangeOfLayers(const JobGraph& graph, NodeId node);

struct PipelineStage {
  std::vector<std::uint32_t> ranks;
  // Of a step of the median rank, without the optimizer: one slow device is not the stage's work.
  double compute_ns = 0;
  double attention = 0;  // kernels of a rank's step that each layer has one of
  // By these, in the forwards of one micro-batch; 0: not known.
  std::int64_t layers = 0;
};

struct PipelineStages {
  explicit PipelineStages(const RuleInput& input);
  // By number; none where ranks have no stages.
  std::map<std::int32_t, PipelineStage> of;
};

// The passes of these ranks would take so many times as long as they do, as with so many times the
// layers: kernels, what the host does, and what layers exchange. Sends between stages stay.
Scenario WithStagesTimes(const RuleInput& input, const std::map<std::uint32_t, double>& factors);

}  // namespace rankscope
