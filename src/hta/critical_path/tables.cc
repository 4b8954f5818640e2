// hta.critical_path_summary, hta.critical_path_edges and hta.critical_path_nodes.
#include <algorithm>
#include <map>
#include <tuple>

#include "base/saturating.h"
#include "hta/analyses.h"
#include "hta/critical_path/critical_path.h"
#include "hta/options.h"
#include "hta/ranks.h"

namespace rankscope::hta {
namespace {

struct CriticalPathSummaryRows : Schema<CriticalPathSummaryRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.critical_path_summary";

  StringColumn bound_by = Text("bound_by", "HTA's name of what the time is bound by");
  IntColumn duration_us = Int("duration_us", "us", "time of the path's edges bound by it");
  RealColumn pct = Real("pct", "%", "share of the path");
};

struct CriticalPathEdgesRows : Schema<CriticalPathEdgesRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.critical_path_edges";

  IntColumn from_event =
      Int("from_event", "", "event in the file where the edge begins; null: a join");
  StringColumn from_point = Text("from_point", "start or end of that event, or join");
  IntColumn to_event = Int("to_event", "", "event in the file where it ends; null: a join");
  StringColumn to_point = Text("to_point", "start or end of that event, or join");
  StringColumn type = Text("type", "HTA's type of the edge");
  IntColumn weight =
      Int("weight", "us",
          "time on the edge; negative where a child ends after its parent: 0 for the path");
  IntColumn event = Int("event", "", "event in the file whose time it is; null when it is none's");
  StringColumn event_name = Text("event_name", "name of that event");
  StringColumn bound_by = Text("bound_by", "as in hta.critical_path_summary");
  FlagColumn is_critical = Flag("is_critical", "on the critical path");
};

struct CriticalPathNodesRows : Schema<CriticalPathNodesRows, RowsOfRanks> {
  static constexpr std::string_view kName = "hta.critical_path_nodes";

  IntColumn node = Int("node", "", "from 0 on, in the order of time");
  IntColumn event = Int("event", "", "event in the file");
  StringColumn point = Text("point", "start or end of that event");
  IntColumn ts = Int("ts", "us", "when, from the first of all events");
  FlagColumn is_blocking = Flag("is_blocking", "of a call that waits for the device");
};

std::optional<CriticalPath> PathOf(const Frame& frame, const Options& options) {
  const std::string& annotation = options.find("annotation")->second;
  const LaunchOrder order = FlagOf(options, "add_zero_weight_launch_edges")
                                ? LaunchOrder::kAlways
                                : LaunchOrder::kWhereItDelays;
  return FindCriticalPath(frame, annotation, InstancesOf(options, "instance_id"), order);
}

void MakeSummaryTables(const Frame& frame, const Options& options,
                       TableOf<CriticalPathSummaryRows>& table) {
  const std::optional<CriticalPath> path = PathOf(frame, options);
  if (!path) return;
  Bounds bounds(path->graph);
  std::map<std::string_view, std::int64_t> durations;
  std::int64_t total = 0;
  for (const std::uint32_t i : path->edges) {
    const Edge& edge = path->graph.edges()[i];
    AddSaturating(durations[bounds.Of(edge)], edge.weight);
    AddSaturating(total, edge.weight);
  }
  const auto& columns = SchemaOf<CriticalPathSummaryRows>();
  for (const auto& [bound_by, duration] : durations) {
    // In HTA's order of operations, for the last digit.
    const Value share =
        total == 0 ? Value(kNull)
                   : Value(static_cast<double>(duration) / static_cast<double>(total) * 100);
    table.Add({columns.bound_by = bound_by, columns.duration_us = duration, columns.pct = share});
  }
}

Value EventOf(const Graph& graph, NodeId node) {
  if (graph.IsJoin(node)) return kNull;
  return graph.window().frame->IndexOf(graph.At(Graph::EventOf(node)));
}

std::string_view PointOf(const Graph& graph, NodeId node) {
  if (graph.IsJoin(node)) return "join";
  return Graph::IsStart(node) ? "start" : "end";
}

void MakeEdges(const Frame& frame, const Options& options, TableOf<CriticalPathEdgesRows>& table) {
  const std::optional<CriticalPath> path = PathOf(frame, options);
  if (!path) return;
  const Graph& graph = path->graph;
  std::vector<std::uint8_t> is_critical(graph.edges().size());
  for (const std::uint32_t i : path->edges) is_critical[i] = 1;
  Bounds bounds(graph);
  const auto& columns = SchemaOf<CriticalPathEdgesRows>();
  for (std::size_t i = 0; i < graph.edges().size(); ++i) {
    const Edge& edge = graph.edges()[i];
    const bool has_event = edge.event != kNoEvent;
    table.Add(
        {columns.from_event = EventOf(graph, edge.from),
         columns.from_point = PointOf(graph, edge.from), columns.to_event = EventOf(graph, edge.to),
         columns.to_point = PointOf(graph, edge.to), columns.type = ToString(edge.type),
         columns.weight = edge.weight,
         columns.event = has_event ? Value(frame.IndexOf(graph.At(edge.event))) : Value(kNull),
         columns.event_name = has_event ? Value(frame.NameOf(graph.At(edge.event))) : Value(kNull),
         columns.bound_by = bounds.Of(edge), columns.is_critical = is_critical[i] != 0});
  }
}

constexpr std::string_view kBlocking[] = {"cudaDeviceSynchronize",
                                          "cudaStreamSynchronize",
                                          "cudaEventQuery",
                                          "cudaEventSynchronize",
                                          "cudaMemcpy",
                                          "cudaMemcpyAsync"};

void MakeNodes(const Frame& frame, const Options& options, TableOf<CriticalPathNodesRows>& table) {
  const std::optional<CriticalPath> path = PathOf(frame, options);
  if (!path) return;
  const Graph& graph = path->graph;
  const auto count = static_cast<NodeId>(2 * graph.window().events.size());
  std::vector<NodeId> nodes;
  for (NodeId node = 0; node < count; ++node) {
    if (graph.HasNodes(Graph::EventOf(node))) nodes.push_back(node);
  }
  // A window's events are in the order of the file.
  std::sort(nodes.begin(), nodes.end(), [&](NodeId a, NodeId b) {
    return std::tuple(graph.TimeOf(a), a) < std::tuple(graph.TimeOf(b), b);
  });
  const NameSet blocking(frame.trace->strings, kBlocking);
  const auto& columns = SchemaOf<CriticalPathNodesRows>();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Event& event = graph.At(Graph::EventOf(nodes[i]));
    table.Add({columns.node = static_cast<std::int64_t>(i), columns.event = frame.IndexOf(event),
               columns.point = PointOf(graph, nodes[i]), columns.ts = graph.TimeOf(nodes[i]),
               columns.is_blocking = blocking.Contains(frame.trace->name[event.row])});
  }
}

constexpr std::string_view kTablesDefinition =
    "The heaviest path through begins and ends of events, among the host events that begin within "
    "the wanted instances of the annotation and the work that they launch. Edges, in microseconds: "
    "time in ops and calls along each thread's call stack, without the time of calls that wait for "
    "the device; time in device work; from a launch's begin to its work when the stream was idle, "
    "or else from the work before on the stream when that ended less than 1500 us ago; and without "
    "weight order between ops of a thread, waits for device work by CUDA events, streams and "
    "devices, and the lock of the CUDA runtime (cudaHostAlloc, cudaLaunchKernel, cudaMemcpyAsync). "
    "Of several heaviest paths the one that HTA's graph library finds. ";

constexpr std::string_view kNothing =
    "No rows where HTA fails: no such instance, no launch in the file, a launch that is no call of "
    "the CUDA runtime or driver or began outside, work that waits for its own stream, a cycle. ";

}  // namespace

const Analysis& CriticalPathSummary() {
  static const Analysis kAnalysis = JoinedOverRanks<CriticalPathSummaryRows>({
      .summary = "HTA's critical_path_analysis and summary: what the critical path is bound by",
      .definition = fmt::format(
          "{}{}{}{}", kTablesDefinition,
          "pct = the bound's share of the path. cpu_bound: time in host events; gpu_compute_bound "
          "and gpu_communication_bound: in device work, by HTA's patterns on short names, copies "
          "as compute; gpu_kernel_launch_overhead, gpu_kernel_kernel_overhead: the delays; empty: "
          "order. ",
          kNothing, "data_load_events is not offered."),
      .example = "rankscope table hta.critical_path_summary traces/ --set instance_id=\"(1, 2)\"",
      .options = {Annotation(), InstanceId(), AddZeroWeightLaunchEdges()},
      .job_options = {Rank()},
      .make = Filling(MakeSummaryTables),
  });
  return kAnalysis;
}

const Analysis& CriticalPathEdges() {
  static const Analysis kAnalysis = JoinedOverRanks<CriticalPathEdgesRows>({
      .size = Size::kDetail,
      .summary = "HTA's graph of critical_path_analysis: every edge, and whether it is on the path",
      .definition = std::string(kTablesDefinition) + std::string(kNothing) +
                    "The rows that are critical are those of HTA's get_critical_path_breakdown. "
                    "Where a wait is for more than 64 streams its edges pass through joins, which "
                    "HTA does not have.",
      .example = "rankscope table hta.critical_path_edges traces/ --set rank=0 --format csv",
      .options = {Annotation(), InstanceId(), AddZeroWeightLaunchEdges()},
      .job_options = {Rank()},
      .make = Filling(MakeEdges),
  });
  return kAnalysis;
}

const Analysis& CriticalPathNodes() {
  static const Analysis kAnalysis = JoinedOverRanks<CriticalPathNodesRows>(
      {
          .size = Size::kDetail,
          .summary = "HTA's graph of critical_path_analysis: every node",
          .definition =
              std::string(kNothing) +
              "Begin and end of the host events and the device work that hta.critical_path_edges "
              "connect, in the order of time, at one time in that of the file.",
          .example = "rankscope table hta.critical_path_nodes traces/ --set rank=0 --format csv",
          .options = {Annotation(), InstanceId(), AddZeroWeightLaunchEdges()},
          .job_options = {Rank()},
          .make = Filling(MakeNodes),
      },
      {SchemaOf<CriticalPathNodesRows>().ts});
  return kAnalysis;
}

}  // namespace rankscope::hta
