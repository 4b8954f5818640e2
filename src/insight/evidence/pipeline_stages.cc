#include "insight/evidence/pipeline_stages.h"

namespace rankscope {

bool IsOfPasses(const NodeKind& kind) {
  return kind.work == Work::kCompute &&
         (kind.phase == Phase::kForward || kind.phase == Phase::kBackward);
}

PipelineStages::PipelineStages(const RuleInput& input) {
  const JobLayout& layout = input.across().layout();
  for (std::uint32_t rank = 0; rank < input.ranks(); ++rank) {
    const std::int32_t stage = layout.places[rank].Of(Dimension::kPipeline);
    if (stage >= 0) of[stage].ranks.push_back(rank);
  }
  if (of.size() < 2) {
    of.clear();
    return;
  }
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::int32_t at = layout.places[input.RankOf(node)].Of(Dimension::kPipeline);
    if (at < 0 || !IsOfPasses(kind)) return;
    PipelineStage& stage = of[at];
    const auto each = 1.0 / static_cast<double>(stage.ranks.size() * input.counted().size());
    stage.compute_ns += each * static_cast<double>(input.graph().nodes()[node].duration_ns);
    if (kind.kernel_class == KernelClass::kAttention) stage.attention += each;
  });
}

}  // namespace rankscope
