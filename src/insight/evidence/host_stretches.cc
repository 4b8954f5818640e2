#include "insight/evidence/host_stretches.h"

#include <algorithm>
#include <set>
#include <utility>

#include "trace/profiler_frames.h"
#include "trace/row_names.h"
#include "trace/step_names.h"

namespace rankscope {
namespace {

// Of the time of `node` how long other host threads of the recording work, by what begins in it.
std::int64_t WorkOfOthers(const RuleInput& input, NodeId node,
                          const std::vector<std::pair<std::int64_t, NodeId>>& by_begin) {
  const std::int64_t begin = input.now().BeginOf(node);
  const std::int64_t end = input.now().EndOf(node);
  std::int64_t busy = 0, until = begin;
  for (auto at = std::lower_bound(by_begin.begin(), by_begin.end(), std::pair(begin, NodeId{0}));
       at != by_begin.end() && at->first < end; ++at) {
    if (at->second == node) continue;
    const std::int64_t from = std::max(until, at->first);
    const std::int64_t to = std::min(end, input.now().EndOf(at->second));
    if (to <= from) continue;
    busy += to - from;
    until = to;
  }
  return busy;
}

// Ops that launch device work, by name: those of kernels, and those in which a launch is made.
std::set<std::string_view> LaunchingOps(const JobGraph& graph) {
  std::set<std::string_view> ops;
  for (const NodeKind& kind : graph.kinds()) {
    if (!kind.op.empty()) ops.insert(kind.op);
  }
  for (std::size_t i = 0; i < graph.edge_count(); ++i) {
    const NodeEdge& edge = graph.edge(i);
    if (edge.kind == DependencyKind::kLaunch && graph.KindOf(edge.from).work == Work::kOp)
      ops.insert(graph.KindOf(edge.from).name);
  }
  return ops;
}

}  // namespace

bool IsOwnHostWork(Work work) {
  return work == Work::kOp || work == Work::kPython || work == Work::kLaunchCall ||
         work == Work::kOtherCall;
}

HostStretches::HostStretches(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::set<std::string_view> launching = LaunchingOps(graph);
  const auto is_one = [&](NodeId node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.work != Work::kPython && (kind.work != Work::kOp || launching.contains(kind.name)))
      return false;
    if (kind.name.starts_with("gloo:")) return false;  // around an exchange with other ranks
    return !IsFrameOfProfiler(kind.name) && !IsFrameOfProfiler(NameOfStretch(graph, node));
  };
  std::vector<std::pair<std::int64_t, NodeId>> by_begin;
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    by_begin.clear();
    const std::size_t first = nodes.size();
    for (NodeId node = capture.first; node < capture.last; ++node) {
      const Work work = graph.KindOf(node).work;
      if (!IsOwnHostWork(work)) continue;
      by_begin.emplace_back(input.now().BeginOf(node), node);
      if (input.Counts(node) && graph.nodes()[node].duration_ns >= kLongStretchNs && is_one(node))
        nodes.push_back(node);
    }
    std::sort(by_begin.begin(), by_begin.end());
    for (std::size_t i = first; i < nodes.size(); ++i) {
      if (IsWaitForDevice(NameOfStretch(graph, nodes[i])) ||
          2 * WorkOfOthers(input, nodes[i], by_begin) > graph.nodes()[nodes[i]].duration_ns)
        waiting.push_back(nodes[i]);
    }
  }
}

bool IsWaitForDevice(std::string_view name) {
  constexpr std::string_view kParts[] = {"block_until_ready", "BlockUntilReady", "BlockHostUntil",
                                         "BufferSequencingEvent::", "PjRtFuture::Await"};
  return std::any_of(std::begin(kParts), std::end(kParts), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

bool HostStretches::Waits(NodeId node) const {
  return std::binary_search(waiting.begin(), waiting.end(), node);
}

std::string NameOfStretch(const JobGraph& graph, NodeId node) {
  const CodeSite* const site = graph.SiteOf(node);
  if (site != nullptr && !site->function.empty()) return site->function;
  const NodeKind& kind = graph.KindOf(node);
  const std::string& name = kind.op.empty() ? kind.name : kind.op;
  return MarksStep(name) ? "" : NameWithoutNumbers(name);
}

}  // namespace rankscope
