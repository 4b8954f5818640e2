#include "hta/critical_path/critical_path.h"

#include "hta/critical_path/call_stacks.h"
#include "hta/critical_path/longest_path.h"
#include "hta/critical_path/runtime_lock.h"
#include "hta/kernel_types.h"
#include "hta/short_name.h"

namespace rankscope::hta {

std::optional<CriticalPath> FindCriticalPath(const Frame& frame, std::string_view annotation,
                                             InstanceRange instances, LaunchOrder launch_order) {
  std::optional<Window> window = ClipFrame(frame, annotation, instances);
  if (!window) return std::nullopt;
  CriticalPath result{Graph(std::move(*window)), {}};
  const RuntimeLock lock(result.graph);
  // In HTA's order: the order of edges decides between paths of one length.
  lock.AddEdges(result.graph);
  AddCallStackEdges(lock, result.graph);
  if (!AddDeviceEdges(result.graph, launch_order)) return std::nullopt;
  result.edges = LongestPath(result.graph.node_count(), result.graph.edges());
  if (result.edges.empty()) return std::nullopt;
  return result;
}

Bounds::Bounds(const Graph& graph)
    : graph_(graph), known_(graph.window().frame->trace->strings.size(), Known::kNo) {}

std::string_view Bounds::Of(const Edge& edge) {
  if (edge.type == EdgeType::kKernelKernelDelay) return "gpu_kernel_kernel_overhead";
  if (edge.type == EdgeType::kLaunchDelay) return "gpu_kernel_launch_overhead";
  if (edge.type != EdgeType::kOperator) return "";
  const Event& event = graph_.At(edge.event);
  if (event.stream < 0) return "cpu_bound";
  const Frame& frame = *graph_.window().frame;
  Known& known = known_[frame.trace->name[event.row]];
  if (known == Known::kNo) {
    const bool communicates =
        KernelTypeOf(ShortName(frame.NameOf(event))) == KernelType::kCommunication;
    known = communicates ? Known::kCommunication : Known::kOther;
  }
  return known == Known::kCommunication ? "gpu_communication_bound" : "gpu_compute_bound";
}

}  // namespace rankscope::hta
