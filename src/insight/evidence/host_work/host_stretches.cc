#include "insight/evidence/host_work/host_stretches.h"

#include <algorithm>
#include <set>
#include <utility>

#include "insight/evidence/host_work/allocator_calls.h"
#include "insight/evidence/host_work/stretch_names.h"
#include "trace/profiler_frames.h"

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

// Ops that launch device work, by name: those of kernels, and those right before whose launch a
// thread is; but not where what it launches is of no op, so that the one before it is over.
std::set<std::string_view> LaunchingOps(const JobGraph& graph) {
  std::set<std::string_view> ops;
  for (const NodeKind& kind : graph.kinds()) {
    if (!kind.op.empty()) ops.insert(kind.op);
  }
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    if (graph.KindOf(node).op.empty()) continue;
    for (const NodeEdge& edge : graph.EdgesOf(node)) {
      if (edge.kind == DependencyKind::kLaunch && graph.KindOf(edge.from).work == Work::kOp)
        ops.insert(graph.KindOf(edge.from).name);
    }
  }
  return ops;
}

// The user's functions in which device work is launched.
std::set<std::string_view> LaunchingFunctions(const JobGraph& graph) {
  std::set<std::string_view> functions;
  for (NodeId node = 0; node < graph.nodes().size(); ++node) {
    const CodeSite* const site = IsDevice(graph.KindOf(node).work) ? graph.SiteOf(node) : nullptr;
    if (site != nullptr) functions.insert(site->function);
  }
  return functions;
}

// Of every node whether it ends in a launch.
std::vector<bool> Launching(const JobGraph& graph) {
  std::vector<bool> launching(graph.nodes().size(), false);
  for (std::size_t i = 0; i < graph.edge_count(); ++i) {
    if (graph.edge(i).kind == DependencyKind::kLaunch) launching[graph.edge(i).from] = true;
  }
  return launching;
}

// Nodes of a thread's own work in a row none of which launches, in a run of kLongRunNs and more: of
// every node whether it lies in one.
std::vector<bool> InLongRuns(const JobGraph& graph, const std::vector<bool>& launches) {
  const std::size_t count = graph.nodes().size();
  std::vector<bool> breaks = launches, in_run(count, false);
  for (NodeId node = 0; node < count; ++node) {
    const Work work = graph.KindOf(node).work;
    if (!IsOwnHostWork(work) || work == Work::kLaunchCall) breaks[node] = true;
  }
  std::vector<std::int64_t> run_ns(count, 0);  // up to the node
  std::vector<bool> goes_on(count, false);
  for (NodeId node = 0; node < count; ++node) {
    if (breaks[node]) continue;
    const NodeId before = graph.nodes()[node].previous;
    const bool follows = before != kNoNode && !breaks[before];
    run_ns[node] = graph.nodes().DurationOf(node) + (follows ? run_ns[before] : 0);
    if (follows) goes_on[before] = true;
  }
  for (NodeId node = 0; node < count; ++node) {
    if (breaks[node] || goes_on[node] || run_ns[node] < kLongRunNs) continue;
    for (NodeId at = node; at != kNoNode && !breaks[at]; at = graph.nodes()[at].previous)
      in_run[at] = true;
  }
  return in_run;
}

}  // namespace

bool IsOwnHostWork(Work work) {
  return work == Work::kOp || work == Work::kPython || work == Work::kLaunchCall ||
         work == Work::kOtherCall;
}

HostStretches::HostStretches(const RuleInput& input) {
  const JobGraph& graph = input.graph();
  const std::set<std::string_view> launching = LaunchingOps(graph);
  const std::vector<bool> launches = Launching(graph);
  const std::vector<bool> in_run = InLongRuns(graph, launches);
  const std::set<std::string_view> functions = LaunchingFunctions(graph);
  const auto& names = input.Shared<StretchNames>();
  const bool has_allocators = input.Shared<AllocatorTraffic>().IsOfOnlyStep();
  const auto is_of_run = [&](NodeId node) {
    const CodeSite* const site = in_run[node] ? graph.SiteOf(node) : nullptr;
    return site != nullptr && !site->function.empty() && !functions.contains(site->function);
  };
  const auto is_one = [&](NodeId node) {
    const NodeKind& kind = graph.KindOf(node);
    if (kind.work == Work::kAllocator) return true;
    // Whatever the op does elsewhere: so long without a launch it computes or copies on the host.
    // So does what lies between ops, where the mark of a step is one, and each of several ops in a
    // row that launch nothing for so long.
    const bool is_of_host =
        !launches[node] && (graph.nodes().DurationOf(node) >= kLongRunNs
                                ? kind.name.starts_with("aten::") || kind.name.empty()
                                : in_run[node] && kind.name.starts_with("aten::"));
    const bool may_launch =
        kind.work != Work::kOp || (launching.contains(kind.name) && !is_of_host);
    if (kind.work != Work::kPython && may_launch && !is_of_run(node)) return false;
    if (kind.name.starts_with("gloo:")) return false;  // around an exchange with other ranks
    return !IsFrameOfProfiler(kind.name) && !IsFrameOfProfiler(names.Of(node));
  };
  std::vector<std::pair<std::int64_t, NodeId>> by_begin;
  for (const JobGraph::CaptureNodes& capture : graph.captures()) {
    by_begin.clear();
    const std::size_t first = nodes.size();
    for (const NodeId node : capture.nodes()) {
      const Work work = graph.KindOf(node).work;
      if (!IsOwnHostWork(work) && !(has_allocators && work == Work::kAllocator)) continue;
      by_begin.emplace_back(input.now().BeginOf(node), node);
      const bool is_long = graph.nodes()[node].duration_ns >= kLongStretchNs || is_of_run(node);
      if (graph.StepOf(node) != kNoStep && is_long && is_one(node)) nodes.push_back(node);
    }
    std::sort(by_begin.begin(), by_begin.end());
    for (std::size_t i = first; i < nodes.size(); ++i) {
      if (IsWaitForDevice(names.Of(nodes[i])) ||
          2 * WorkOfOthers(input, nodes[i], by_begin) > graph.nodes()[nodes[i]].duration_ns)
        waiting.push_back(nodes[i]);
    }
  }
  std::sort(nodes.begin(), nodes.end());
  std::sort(waiting.begin(), waiting.end());
}

bool IsWaitForDevice(std::string_view name) {
  constexpr std::string_view kParts[] = {"block_until_ready", "BlockUntilReady", "BlockHostUntil",
                                         "BufferSequencingEvent::", "PjRtFuture::Await"};
  return std::any_of(std::begin(kParts), std::end(kParts), [&](std::string_view part) {
    return name.find(part) != std::string_view::npos;
  });
}

bool HostStretches::Has(NodeId node) const {
  return std::binary_search(nodes.begin(), nodes.end(), node);
}

bool HostStretches::Waits(NodeId node) const {
  return std::binary_search(waiting.begin(), waiting.end(), node);
}

}  // namespace rankscope
