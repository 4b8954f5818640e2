#include "insight/evidence/host_work/allocator_calls.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/text.h"
#include "insight/base/thresholds.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

bool IsFirst(const JobGraph& graph, std::uint32_t step) {
  return step == 0 || graph.steps()[step].group != graph.steps()[step - 1].group;
}

// What is asked for in the first recorded step may be kept from then on: whether that step does as
// the others do, so that it counts, too. False where the others have no calls. A step that stands
// alone counts when it gives back about as often as it asks: that is kept by nobody.
struct FirstSteps {
  bool others_call = false;
  bool are_alike = false;
};

FirstSteps LookAtFirst(const JobGraph& graph) {
  constexpr std::size_t kLeastGivenBack = 4;
  struct Calls {
    std::size_t asked = 0, given_back = 0;
  };
  std::size_t first = 0, later = 0, later_steps = 0;
  std::map<std::uint32_t, Calls> of_rank;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const std::uint32_t step = graph.StepOf(node);
    if (step == kNoStep || graph.KindOf(node).work != Work::kAllocator) continue;
    ++(IsFirst(graph, step) ? first : later);
    const auto action = AllocatorAction(graph.KindOf(node).name);
    Calls& calls = of_rank[graph.RankOf(node)];
    calls.asked += action == "allocate" ? 1 : 0;
    calls.given_back += action == "free" ? 1 : 0;
  }
  for (std::uint32_t step = 0; step < graph.steps().size(); ++step)
    later_steps += IsFirst(graph, step) ? 0 : 1;
  if (later_steps == 0) {
    const bool gives_back = std::ranges::any_of(of_rank, [](const auto& rank) {
      const Calls& calls = rank.second;
      return calls.given_back >= kLeastGivenBack && 4 * calls.asked <= 5 * calls.given_back;
    });
    return {.others_call = gives_back, .are_alike = gives_back};
  }
  return {.others_call = later > 0,
          .are_alike = static_cast<double>(first * later_steps) <=
                       kAsLaterSteps * static_cast<double>(later)};
}

// "cuMemMap", "hipMemMap", and creating what is mapped.
bool MapsMemory(std::string_view call) {
  return call.starts_with("cuMemMap") || call.starts_with("cuMemCreate") ||
         call.starts_with("hipMemMap") || call.starts_with("hipMemCreate");
}

// "cudaHostAlloc", "cudaMallocHost", "cudaHostRegister", "cuMemHostAlloc", "hipHostFree".
bool IsOfPinnedMemory(std::string_view call) {
  return Contains(call, "HostAlloc") || Contains(call, "MallocHost") ||
         Contains(call, "HostRegister") || Contains(call, "HostMalloc") ||
         Contains(call, "HostUnregister") || Contains(call, "FreeHost") ||
         Contains(call, "HostFree") || Contains(call, "AllocHost");
}

}  // namespace

AllocatorTraffic::AllocatorTraffic(const RuleInput& input) : input_(&input), sums_(input) {
  const JobGraph& graph = input.graph();
  const FirstSteps first = LookAtFirst(graph);
  is_of_only_step_ =
      !first.others_call && graph.steps().size() == 1 && graph.steps().front().number > 0;
  if (!first.others_call) return;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    const std::uint32_t step = graph.StepOf(node);
    if (step == kNoStep || (!first.are_alike && IsFirst(graph, step)) || IsDevice(kind.work))
      continue;
    const NodeId before = graph.nodes()[node].previous;
    const bool is_call = kind.work == Work::kAllocator;
    const bool is_behind = before != kNoNode && graph.KindOf(before).work == Work::kAllocator;
    if (!is_call && !is_behind) continue;
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind != DependencyKind::kSync) continue;
      waits_.push_back(graph.nodes()[node].first_edge + i);
      if (before == kNoNode) continue;
      const std::int64_t waited = input.now().BeginOf(node) - input.now().EndOf(before);
      sums_.AddLost(node, static_cast<double>(std::max<std::int64_t>(0, waited)));
    }
    if (!is_call) continue;
    calls_.push_back(node);
    is_expandable_ |= MapsMemory(kind.name);
    sums_.Add(node, static_cast<double>(graph.nodes()[node].duration_ns));
  }
  constexpr double kNearlyAll = 0.9;
  double pinned_ns = 0, all_ns = 0;
  std::size_t asked = 0, given_back = 0;
  for (const NodeId node : sums_.nodes()) {
    const auto ns = static_cast<double>(graph.nodes().DurationOf(node));
    all_ns += ns;
    pinned_ns += IsOfPinnedMemory(graph.KindOf(node).name) ? ns : 0;
    const auto action = AllocatorAction(graph.KindOf(node).name);
    asked += action == "allocate" ? 1 : 0;
    given_back += action == "free" ? 1 : 0;
  }
  pins_memory_ = pinned_ns > kNearlyAll * all_ns;
  fail_ = given_back > 0 && static_cast<double>(asked) > kRetries * static_cast<double>(given_back);
}

Cause AllocatorTraffic::ToCause() const {
  Cause cause;
  sums_.TellIn(cause);
  Scenario without = input_->recorded();
  for (const std::size_t edge : waits_) without.Cut(edge);
  for (const NodeId node : calls_) without.SetDuration(node, 0);
  cause.without = std::move(without);
  return cause;
}

}  // namespace rankscope
