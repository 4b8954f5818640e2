#include "hta/critical_path/device_edges.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "hta/critical_path/event_waits.h"
#include "hta/critical_path/stream_ends.h"
#include "hta/queue_points.h"

namespace rankscope::hta {
namespace {

// A gap of this many microseconds or more is no delay between two kernels.
constexpr std::int64_t kLongGap = 1500;

class QueueLengths {
 public:
  explicit QueueLengths(const Frame& frame) {
    for (const QueuePoint& point : QueuePointsOf(frame))
      lengths_.insert_or_assign(frame.IndexOf(*point.event), point.length);
  }
  bool empty() const { return lengths_.empty(); }
  bool Is(std::int64_t index, std::int64_t length) const {
    const auto found = lengths_.find(index);
    return found != lengths_.end() && found->second == length;
  }

 private:
  boost::unordered_flat_map<std::int64_t, std::int64_t> lengths_;  // by index in the file
};

bool IsWait(const Frame& frame, const Event& event) {
  return frame.CategoryOf(event) == "cuda_sync";
}

// Device events of the window with a correlation, in the order in which they are looked at.
std::vector<std::uint32_t> DeviceEvents(const Window& window) {
  struct Place {
    std::int64_t time = 0;
    std::uint32_t event = 0;
  };
  const Frame& frame = *window.frame;
  std::vector<Place> places;
  for (std::uint32_t i = 0; i < window.events.size(); ++i) {
    const Event& event = window.events[i];
    if (event.partner < 0) continue;
    const std::string_view name = frame.NameOf(event);
    if (!event.on_stream() && name != "Event Sync" && name != "Context Sync") continue;
    places.push_back({IsWait(frame, event) ? event.end() : event.ts, i});
  }
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.time < b.time; });
  std::vector<std::uint32_t> events;
  events.reserve(places.size());
  for (const Place& place : places) events.push_back(place.event);
  return events;
}

// Those of the events that are no waits. To be on none counts as one: what is named like a wait
// but is none is there as work, on the host too.
std::size_t CountStreams(const Window& window, const std::vector<std::uint32_t>& events) {
  boost::unordered_flat_set<std::int64_t> streams;
  for (const std::uint32_t i : events) {
    const Event& event = window.events[i];
    if (!IsWait(*window.frame, event)) streams.insert(event.stream);
  }
  return streams.size();
}

class DeviceEdges {
 public:
  DeviceEdges(Graph& graph, LaunchOrder launch_order)
      : graph_(graph),
        launch_order_(launch_order),
        window_(graph.window()),
        frame_(*window_.frame),
        events_(frame_),
        lengths_(frame_),
        waits_(frame_, events_),
        on_device_(DeviceEvents(window_)),
        ends_(CountStreams(window_, on_device_), graph) {}

  bool Add() {
    if (lengths_.empty()) return false;
    for (const std::uint32_t i : on_device_) {
      const Event& event = window_.events[i];
      if (IsWait(frame_, event)) {
        AddWait(event);
      } else if (graph_.HasNodes(i) && !AddWork(i, event)) {
        return false;
      }
    }
    return true;
  }

 private:
  void AddWait(const Event& wait) {
    const std::string_view name = frame_.NameOf(wait);
    if (name == "Stream Wait Event") {
      AwaitBeforeNextWork(wait);
    } else if (name == "Event Sync") {
      if (const std::optional<std::int64_t> work = AwaitedBy(wait)) {
        if (const std::optional<std::uint32_t> event = window_.Find(*work))
          LinkToCall(Graph::EndOf(*event), wait);
      }
    } else if (name == "Stream Sync") {
      if (const std::optional<NodeId> end = ends_.Of(wait.stream)) LinkToCall(*end, wait);
    } else if (name == "Context Sync") {
      for (const NodeId end : ends_.All()) LinkToCall(end, wait);
    }
  }

  // Index in the file of the work before the record of the wait's event.
  std::optional<std::int64_t> AwaitedBy(const Event& wait) const {
    const RankTrace& trace = *frame_.trace;
    const std::uint32_t aux = trace.aux[wait.row];
    if (trace.kind[wait.row] != EventKind::kDeviceSync || aux == kNoAux) return std::nullopt;
    const SyncArgs& args = trace.syncs[aux];
    if (args.wait_on_stream < 0) return std::nullopt;
    return waits_.WorkBeforeRecord(args.record_correlation, IdsOf(frame_, wait).pid,
                                   args.wait_on_stream);
  }

  void AwaitBeforeNextWork(const Event& wait) {
    const std::optional<std::int64_t> awaited = AwaitedBy(wait);
    const Event* call = events_.Find(wait.partner);
    if (!awaited || call == nullptr || frame_.NameOf(*call) != "cudaStreamWaitEvent") return;
    if (const std::optional<std::int64_t> next = waits_.WorkAfter(*call, wait.stream))
      awaited_.insert_or_assign(*next, *awaited);
  }

  // The end of the call that this wait belongs to comes after a node.
  void LinkToCall(NodeId node, const Event& wait) {
    const std::optional<std::uint32_t> call = window_.Find(wait.partner);
    if (!call || !graph_.HasNodes(*call)) return;
    const NodeId end = Graph::EndOf(*call);
    // Two waits of one call say the same.
    if (linked_.insert((std::uint64_t{node} << 32) | end).second)
      graph_.AddOrder(node, end, EdgeType::kSync);
  }

  // The end of the work that this work waits for by an event, when the window has it. Once only.
  std::optional<NodeId> TakeAwaitedEnd(const Event& work) {
    const auto found = awaited_.find(frame_.IndexOf(work));
    if (found == awaited_.end()) return std::nullopt;
    const std::optional<std::uint32_t> awaited = window_.Find(found->second);
    awaited_.erase(found);
    if (!awaited) return std::nullopt;
    return Graph::EndOf(*awaited);
  }

  bool AddWork(std::uint32_t i, const Event& work) {
    const NodeId start = Graph::StartOf(i);
    graph_.AddTime(start, Graph::EndOf(i), EdgeType::kOperator, i);
    const std::optional<NodeId> awaited = TakeAwaitedEnd(work);
    if (awaited) {
      if (graph_.At(Graph::EventOf(*awaited)).stream == work.stream) return false;
      graph_.AddOrder(*awaited, start, EdgeType::kSync);
    }
    const std::optional<NodeId> before = ends_.Of(work.stream);
    ends_.Set(work.stream, Graph::EndOf(i));
    if (IsLaunchedIntoIdleStream(work, before, awaited)) {
      const std::optional<std::uint32_t> launch = window_.Find(work.partner);
      if (!launch || !graph_.HasNodes(*launch)) return false;
      graph_.AddTime(Graph::StartOf(*launch), start, EdgeType::kLaunchDelay);
    } else if (before && work.ts - graph_.TimeOf(*before) < kLongGap &&
               (!awaited || graph_.TimeOf(*awaited) < graph_.TimeOf(*before))) {
      graph_.AddTime(*before, start, EdgeType::kKernelKernelDelay, Graph::EventOf(*before));
      OrderAfterLaunch(work, start);
    } else {
      OrderAfterLaunch(work, start);
    }
    return true;
  }

  void OrderAfterLaunch(const Event& work, NodeId start) {
    if (launch_order_ != LaunchOrder::kAlways) return;
    const std::optional<std::uint32_t> launch = window_.Find(work.partner);
    if (launch && graph_.HasNodes(*launch))
      graph_.AddOrder(Graph::StartOf(*launch), start, EdgeType::kLaunchDelay);
  }

  bool IsLaunchedIntoIdleStream(const Event& work, std::optional<NodeId> before,
                                std::optional<NodeId> awaited) const {
    if (!lengths_.Is(work.partner, 1) || !lengths_.Is(frame_.IndexOf(work), 0)) return false;
    const Event* launch = events_.Find(work.partner);
    return launch != nullptr && (!before || graph_.TimeOf(*before) < launch->ts) &&
           (!awaited || graph_.TimeOf(*awaited) < launch->ts);
  }

  Graph& graph_;
  const LaunchOrder launch_order_;
  const Window& window_;
  const Frame& frame_;
  const EventsByIndex events_;
  const QueueLengths lengths_;
  const EventWaits waits_;
  const std::vector<std::uint32_t> on_device_;
  StreamEnds ends_;
  // Work that an event makes wait, and what for, by index in the file.
  boost::unordered_flat_map<std::int64_t, std::int64_t> awaited_;
  boost::unordered_flat_set<std::uint64_t> linked_;  // (node, end of a call)
};

}  // namespace

bool AddDeviceEdges(Graph& graph, LaunchOrder launch_order) {
  return DeviceEdges(graph, launch_order).Add();
}

}  // namespace rankscope::hta
