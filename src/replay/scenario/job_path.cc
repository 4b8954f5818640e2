#include "replay/scenario/job_path.h"

#include <algorithm>

#include "replay/scenario/binding.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

JobPathPiece::Kind KindOfGap(const JobGraph& graph, NodeId node, const Binding& before,
                             std::int64_t length) {
  if (before.node == kNoNode) return JobPathPiece::Kind::kUnexplained;
  const bool on_device = IsDevice(graph.KindOf(node).work);
  if (on_device && before.kind == DependencyKind::kLaunch)
    return length > kLaunchLimitNs ? JobPathPiece::Kind::kUnexplained : JobPathPiece::Kind::kLaunch;
  return length > kGapLimitNs ? JobPathPiece::Kind::kUnexplained : JobPathPiece::Kind::kKernelGap;
}

}  // namespace

std::vector<JobPathPiece> JobPath(const JobGraph& graph, const Scenario& scenario,
                                  const Replay& replay) {
  std::vector<JobPathPiece> path;
  const std::vector<std::size_t>& counted = CountedSteps(graph);
  if (counted.empty() || replay.LastOf(counted.back()) == kNoNode) return path;
  NodeId at = replay.LastOf(counted.back());
  std::int64_t until = replay.EndOf(at);
  const std::int64_t since = replay.StepBegin(counted.front());
  const auto put = [&](std::int64_t from, NodeId node, JobPathPiece::Kind kind) {
    from = std::max(from, since);
    if (from < until) path.push_back({from, until, node, kind});
    until = std::min(until, from);
  };
  while (at != kNoNode && until > since) {
    const std::uint32_t rendezvous = graph.nodes().RendezvousOf(at);
    if (rendezvous != kNoRendezvous && !graph.IsEager(at)) {
      put(replay.EndOf(at) - scenario.DurationOf(at), at, JobPathPiece::Kind::kWork);
      const auto members = graph.MembersOf(graph.meetings()[rendezvous]);
      at = *std::max_element(members.begin(), members.end(), [&](NodeId a, NodeId b) {
        return replay.BeginOf(a) < replay.BeginOf(b);
      });
    } else {
      put(replay.BeginOf(at), at, JobPathPiece::Kind::kWork);
    }
    const Binding before = BindingOf(graph, replay, at);
    const std::int64_t from = before.node == kNoNode ? since : replay.EndOf(before.node);
    put(from, at, KindOfGap(graph, at, before, until - from));
    at = before.node;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::string_view PartOf(const JobGraph& graph, const JobPathPiece& piece) {
  switch (piece.kind) {
    case JobPathPiece::Kind::kWork:
      return ToString(graph.KindOf(piece.node).work);
    case JobPathPiece::Kind::kLaunch:
      return "launch";
    case JobPathPiece::Kind::kKernelGap:
      return "kernel gap";
    default:
      return "unexplained";
  }
}

}  // namespace rankscope
