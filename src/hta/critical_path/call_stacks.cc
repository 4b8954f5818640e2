#include "hta/critical_path/call_stacks.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace rankscope::hta {
namespace {

constexpr std::string_view kWaitingCalls[] = {"cudaDeviceSynchronize",
                                              "cudaStreamSynchronize",
                                              "cudaEventQuery",
                                              "cudaEventSynchronize",
                                              "cudaMemcpy",
                                              "cudaMemcpyAsync"};

struct ThreadEvent {
  ProcessIds thread;
  std::uint32_t event = 0;
};

// The thread id of all ops and annotations whose name holds a text, when it is one.
std::optional<std::int64_t> OnlyThreadWith(const Window& window, std::string_view part) {
  const RankTrace& trace = *window.frame->trace;
  const NameSet names = NameSet::Holding(trace.strings, part);
  std::optional<std::int64_t> only;
  for (const Event& event : window.events) {
    if (!names.Contains(trace.name[event.row])) continue;
    const std::string_view category = window.frame->CategoryOf(event);
    if (category != "cpu_op" && category != "user_annotation") continue;
    const std::int64_t tid = IdsOf(*window.frame, event).tid;
    if (only && *only != tid) return std::nullopt;
    only = tid;
  }
  return only;
}

// All events of the window by pid and tid, the backward thread as the forward one.
std::vector<ThreadEvent> ByThread(const Window& window) {
  const std::optional<std::int64_t> forward = OnlyThreadWith(window, "forward");
  const std::optional<std::int64_t> backward = OnlyThreadWith(window, "autograd");
  // HTA takes thread 0 for none.
  const bool are_one = forward.value_or(0) != 0 && backward.value_or(0) != 0;
  std::vector<ThreadEvent> events;
  events.reserve(window.events.size());
  for (std::uint32_t event = 0; event < window.events.size(); ++event) {
    ProcessIds ids = IdsOf(*window.frame, window.events[event]);
    if (are_one && ids.tid == *backward) ids.tid = *forward;
    events.push_back({ids, event});
  }
  std::sort(events.begin(), events.end(), [](const ThreadEvent& a, const ThreadEvent& b) {
    return std::tie(a.thread.pid, a.thread.tid, a.event) <
           std::tie(b.thread.pid, b.thread.tid, b.event);
  });
  return events;
}

// A begin or end of an event, in the order of a stack.
struct CallStacksPoint {
  std::int64_t time = 0;
  std::int64_t dur = 0;
  std::uint32_t event = 0;
  bool is_start = false;
};

bool PointComesBefore(const CallStacksPoint& a, const CallStacksPoint& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.is_start != b.is_start) return b.is_start;
  if (a.dur != b.dur) return a.is_start ? a.dur > b.dur : a.dur < b.dur;
  return a.is_start ? a.event < b.event : a.event > b.event;
}

// What only a host thread has: nothing on a stream, and events that take time, as the window picks
// them.
std::vector<CallStacksPoint> PointsOf(const Window& window, std::span<const ThreadEvent> thread) {
  std::vector<CallStacksPoint> points;
  points.reserve(2 * thread.size());
  for (const ThreadEvent& entry : thread) {
    const Event& event = window.events[entry.event];
    if (event.stream >= 0) return {};
    if (event.dur <= 0) continue;
    points.push_back({event.ts, event.dur, entry.event, true});
    points.push_back({event.end(), event.dur, entry.event, false});
  }
  std::sort(points.begin(), points.end(), PointComesBefore);
  return points;
}

// Walks one thread.
class Walk {
 public:
  Walk(const RuntimeLock& lock, const NameSet& waiting, Graph& graph)
      : lock_(lock), waiting_(waiting), graph_(graph) {}

  void Over(std::span<const CallStacksPoint> points) {
    for (const CallStacksPoint& point : points) {
      if (point.is_start) {
        const std::uint32_t parent = stack_.empty() ? kNoEvent : stack_.back().event;
        stack_.push_back({point.event, parent});
        if (graph_.HasNodes(point.event)) Enter(stack_.back());
      } else if (!stack_.empty()) {
        const Open innermost = stack_.back();
        stack_.pop_back();
        if (graph_.HasNodes(innermost.event)) Leave(innermost);
      }
    }
  }

 private:
  struct Open {
    std::uint32_t event = 0;
    std::uint32_t parent = kNoEvent;
  };

  void Enter(const Open& open) {
    const NodeId start = Graph::StartOf(open.event);
    if (last_ && !lock_.IsBetween(*last_, start)) {
      if (depth_ == 0)
        graph_.AddOrder(*last_, start, EdgeType::kDependency);
      else
        graph_.AddTime(*last_, start, EdgeType::kOperator,
                       Graph::IsStart(*last_) ? Graph::EventOf(*last_) : last_parent_);
    }
    ++depth_;
    MoveTo(start, open.parent);
  }

  void Leave(const Open& open) {
    const NodeId end = Graph::EndOf(open.event);
    if (last_ && !lock_.IsBetween(*last_, end)) {
      const std::uint32_t owner = Graph::IsStart(*last_) ? Graph::EventOf(*last_) : open.event;
      if (Waits(open.event))
        graph_.AddOrder(*last_, end, EdgeType::kOperator, owner);
      else
        graph_.AddTime(*last_, end, EdgeType::kOperator, owner);
    }
    --depth_;
    MoveTo(end, open.parent);
  }

  void MoveTo(NodeId node, std::uint32_t parent) {
    last_ = node;
    last_parent_ = parent;
  }

  bool Waits(std::uint32_t event) const {
    return waiting_.Contains(graph_.window().frame->trace->name[graph_.At(event).row]);
  }

  const RuntimeLock& lock_;
  const NameSet& waiting_;
  Graph& graph_;
  std::vector<Open> stack_;
  std::int64_t depth_ = 0;  // open events with nodes
  std::optional<NodeId> last_;
  std::uint32_t last_parent_ = kNoEvent;
};

}  // namespace

void AddCallStackEdges(const RuntimeLock& lock, Graph& graph) {
  const Window& window = graph.window();
  const NameSet waiting(window.frame->trace->strings, kWaitingCalls);
  const std::vector<ThreadEvent> events = ByThread(window);
  for (std::size_t begin = 0; begin < events.size();) {
    const ProcessIds& thread = events[begin].thread;
    std::size_t end = begin;
    while (end < events.size() && events[end].thread.pid == thread.pid &&
           events[end].thread.tid == thread.tid)
      ++end;
    Walk(lock, waiting, graph)
        .Over(PointsOf(window, std::span(events).subspan(begin, end - begin)));
    begin = end;
  }
}

}  // namespace rankscope::hta
