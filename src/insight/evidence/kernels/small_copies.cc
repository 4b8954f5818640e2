#include "insight/evidence/kernels/small_copies.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/copies/copy_direction.h"

namespace rankscope {
namespace {

constexpr std::int64_t kSmallNs = 5'000;
// In a step of a rank.
constexpr std::size_t kMany = 32;

bool IsToDevice(const NodeKind& kind) {
  return kind.work == Work::kCopy && DirectionOf(kind.name).direction == "HtoD";
}

}  // namespace

SmallCopies::SmallCopies(const RuleInput& input) : beyond_first(input) {
  const JobGraph& graph = input.graph();
  const KindsThat are_to_device(graph, IsToDevice);
  if (are_to_device.None()) return;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<NodeId>> by_step;  // rank, step
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.StepOf(node) != kNoStep && are_to_device.Has(node) &&
        graph.nodes().DurationOf(node) <= kSmallNs)
      by_step[{input.RankOf(node), graph.StepOf(node)}].push_back(node);
  }
  for (const auto& [where, copies] : by_step) {
    if (copies.size() < kMany) continue;
    steps += input.Counts(copies.front()) ? 1 : 0;
    for (std::size_t i = 1; i < copies.size(); ++i) beyond_first.Add(copies[i]);
  }
}

}  // namespace rankscope
