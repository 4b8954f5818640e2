#include "insight/evidence/peers/pipeline_stages.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "base/median.h"
#include "base/text.h"
#include "schemas/layout.h"

namespace rankscope {

bool IsOfPasses(const NodeKind& kind) {
  return kind.work == Work::kCompute &&
         (kind.phase == Phase::kForward || kind.phase == Phase::kBackward);
}

bool IsOfBackward(const NodeKind& kind) {
  return kind.phase == Phase::kBackward || Contains(kind.name, "bwd") ||
         Contains(kind.name, "backward");
}

bool IsExchangeOfLayers(const JobGraph& graph, NodeId node) {
  const NodeKind& kind = graph.KindOf(node);
  const std::uint32_t meeting = graph.nodes().RendezvousOf(node);
  return kind.work == Work::kCommunication && kind.phase != Phase::kAfter &&
         meeting != kNoRendezvous && graph.meetings()[meeting].collective != UINT32_MAX;
}

namespace {

// Kernels of attention in the forwards of a rank's step, by stage and name.
using Forwards = std::map<std::pair<std::int32_t, std::string_view>, double>;

// Each layer runs a kernel of each name once in a micro-batch's forward.
void CountLayers(const RuleInput& input, const Forwards& forwards,
                 std::map<std::int32_t, PipelineStage>& stages) {
  const auto pipeline = input.Find<Pipeline>();
  if (!pipeline) return;
  const auto& columns = SchemaOf<Pipeline>();
  for (std::size_t row = 0; row < pipeline->row_count(); ++row) {
    const auto stage = stages.find(static_cast<std::int32_t>(pipeline->Int(row, columns.stage)));
    const std::int64_t micro_batches = pipeline->Known(row, columns.micro_batches).value_or(0);
    if (stage == stages.end() || micro_batches <= 0) continue;
    double most = 0;
    for (const auto& [what, count] : forwards)
      most = what.first == stage->first ? std::max(most, count) : most;
    const double layers = most / static_cast<double>(micro_batches);
    if (std::abs(layers - std::round(layers)) < 0.01) stage->second.layers = std::llround(layers);
  }
}

}  // namespace

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
  Forwards forwards;
  std::vector<double> compute_of(input.ranks(), 0);  // over all steps
  input.ForEach([&](NodeId node, const NodeKind& kind) {
    const std::int32_t at = layout.places[input.RankOf(node)].Of(Dimension::kPipeline);
    if (at < 0 || !IsOfPasses(kind)) return;
    PipelineStage& stage = of[at];
    const auto each = 1.0 / static_cast<double>(stage.ranks.size() * input.counted().size());
    compute_of[input.RankOf(node)] += static_cast<double>(input.graph().nodes()[node].duration_ns);
    if (kind.kernel_class != KernelClass::kAttention) return;
    stage.attention += each;
    if (!IsOfBackward(kind)) forwards[{at, kind.name}] += each;
  });
  for (auto& [number, stage] : of) {
    std::vector<double> compute;
    for (const std::uint32_t rank : stage.ranks) compute.push_back(compute_of[rank]);
    stage.compute_ns = MedianOf(compute) / static_cast<double>(input.counted().size());
  }
  CountLayers(input, forwards, of);
}

Scenario WithStagesTimes(const RuleInput& input, const std::map<std::uint32_t, double>& factors) {
  const JobGraph& graph = input.graph();
  Scenario scenario = input.recorded();
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const auto found = factors.find(input.RankOf(node));
    if (found == factors.end() || graph.StepOf(node) == kNoStep) continue;
    const NodeKind& kind = graph.KindOf(node);
    const bool is_host = !IsDevice(kind.work) && kind.work != Work::kDataLoading;
    // So many layers, however fast each is.
    if (IsOfPasses(kind) || is_host || IsExchangeOfLayers(graph, node))
      scenario.Scale(node, static_cast<float>(found->second));
  }
  return scenario;
}

}  // namespace rankscope
