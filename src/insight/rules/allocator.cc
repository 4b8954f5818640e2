// allocator-thrash and memory-pressure: memory is asked from the driver in steady state.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "insight/cause_tools.h"
#include "insight/rules/rules.h"
#include "insight/thresholds.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

void Find(const RuleInput& input, std::vector<Cause>& causes) {
  const JobGraph& graph = input.graph();
  Scenario without = input.recorded();
  std::set<std::uint32_t> ranks;
  std::vector<NodeId> nodes;
  std::int64_t lost = 0;
  // What is asked for in the first recorded step may be kept from then on.
  const auto is_first = [&](std::uint32_t step) {
    return step == 0 || graph.steps()[step].group != graph.steps()[step - 1].group;
  };
  std::size_t first = 0, later = 0, later_steps = 0;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const std::uint32_t step = graph.StepOf(node);
    if (step != kNoStep && graph.KindOf(node).work == Work::kAllocator)
      ++(is_first(step) ? first : later);
  }
  for (std::uint32_t step = 0; step < graph.steps().size(); ++step)
    later_steps += is_first(step) ? 0 : 1;
  if (later == 0) return;
  const bool is_alike =
      static_cast<double>(first * later_steps) <= kAsLaterSteps * static_cast<double>(later);
  const auto is_steady = [&](NodeId node) {
    const std::uint32_t step = graph.StepOf(node);
    return step != kNoStep && (is_alike || !is_first(step));
  };
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const NodeKind& kind = graph.KindOf(node);
    if (!is_steady(node) || IsDevice(kind.work)) continue;
    const NodeId before = graph.nodes()[node].previous;
    const bool is_call = kind.work == Work::kAllocator;
    const bool is_behind = before != kNoNode && graph.KindOf(before).work == Work::kAllocator;
    if (!is_call && !is_behind) continue;
    const auto edges = graph.EdgesOf(node);
    for (std::size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].kind != DependencyKind::kSync) continue;
      without.Cut(graph.nodes()[node].first_edge + i);
      if (input.Counts(node) && before != kNoNode)
        lost += std::max<std::int64_t>(0, input.now().BeginOf(node) - input.now().EndOf(before));
    }
    if (!is_call) continue;
    without.SetDuration(node, 0);
    if (!input.Counts(node)) continue;
    lost += graph.nodes()[node].duration_ns;
    ranks.insert(input.RankOf(node));
    nodes.push_back(node);
  }
  if (nodes.empty()) return;
  std::size_t asked = 0, given_back = 0;
  for (const NodeId node : nodes) {
    const auto action = AllocatorAction(graph.KindOf(node).name);
    asked += action == "allocate" ? 1 : 0;
    given_back += action == "free" ? 1 : 0;
  }
  // An allocation that fails is tried again when the cache was given back: two calls that ask for
  // one that gives back, step after step.
  const bool fails =
      given_back > 0 && static_cast<double>(asked) > kRetries * static_cast<double>(given_back);
  Cause cause;
  cause.id = fails ? "memory-pressure" : "allocator-thrash";
  cause.tier = Tier::kProgram;
  cause.ranks.assign(ranks.begin(), ranks.end());
  TellWhere(input, nodes, cause);
  cause.without = std::move(without);
  const double rank_steps = static_cast<double>(ranks.size() * input.counted().size());
  cause.lost_ns = static_cast<std::int64_t>(static_cast<double>(lost) / rank_steps);
  const double calls = static_cast<double>(nodes.size()) / rank_steps;
  const std::string time = TimeText(static_cast<double>(lost) / rank_steps);
  if (fails) {
    cause.what = fmt::format(
        "allocations fail for want of device memory, the cache is given back and they are "
        "tried "
        "again, {:.0f} calls a step, {} in all",
        calls, time);
    cause.why =
        "calls that allocate and free device memory inside steps: more ask than give back, though "
        "memory does not grow";
    cause.recommendation =
        "Activation checkpointing, smaller micro-batches, sharded parameters and optimizer state "
        "(FSDP, ZeRO); PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True against fragmentation.";
  } else {
    cause.what =
        fmt::format("memory is asked from the driver and given back {:.0f} times a step, {} in all",
                    calls, time);
    cause.why =
        "calls that allocate and free device or pinned memory inside steps, and what they wait for";
    cause.recommendation =
        "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; keep shapes fixed or pad them to a few "
        "sizes; do not call torch.cuda.empty_cache() in the loop.";
  }
  cause.command = "rankscope table allocator_calls TRACES";
  causes.push_back(std::move(cause));
}

}  // namespace

const Rule& AllocatorRule() {
  static const Rule kRule{
      .ids = {"allocator-thrash", "memory-pressure"}, .tables = {}, .find = Find};
  return kRule;
}

}  // namespace rankscope
