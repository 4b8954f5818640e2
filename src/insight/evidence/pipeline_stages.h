// The stages of the job's pipelines, and what they compute.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "insight/rule_input.h"

namespace rankscope {

// Work of forward or backward.
bool IsOfPasses(const NodeKind& kind);

struct PipelineStage {
  std::vector<std::uint32_t> ranks;
  double compute_ns = 0;  // of a rank's step, in the mean, without the optimizer
  double attention = 0;   // kernels of a rank's step that each layer has one of
};

struct PipelineStages {
  explicit PipelineStages(const RuleInput& input);
  // By number; none where ranks have no stages.
  std::map<std::int32_t, PipelineStage> of;
};

}  // namespace rankscope
