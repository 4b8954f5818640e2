#include "hta/call_graph.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace rankscope::hta {
namespace {

// A begin or end of an event, in the order of a stack.
struct CallGraphPoint {
  std::int64_t time = 0;
  std::int64_t dur = 0;
  std::uint32_t event = 0;
  bool is_open = false;

  // Of points at one time: ends, then begins of what takes time; what takes none stands between.
  int Group() const { return dur == 0 ? 0 : is_open ? 2 : 1; }
};

bool ComesBefore(const CallGraphPoint& a, const CallGraphPoint& b) {
  if (a.time != b.time) return a.time < b.time;
  if (a.Group() != b.Group()) return a.Group() < b.Group();
  if (a.is_open != b.is_open) return a.is_open;  // only without a duration
  if (a.dur != b.dur) return a.is_open ? a.dur > b.dur : a.dur < b.dur;
  return a.is_open ? a.event < b.event : a.event > b.event;
}

// HTA has what takes no time before the ends and behind the begins of its time, which is no order
// where there are both. Then it stands inside of what begins.
void PutEmptyBehindBegins(std::vector<CallGraphPoint>& points) {
  for (auto at = points.begin(); at != points.end();) {
    const auto end = std::find_if(
        at, points.end(), [&](const CallGraphPoint& point) { return point.time != at->time; });
    const auto timed =
        std::find_if(at, end, [](const CallGraphPoint& point) { return point.Group() != 0; });
    if (timed != at && timed != end && (end - 1)->Group() == 2) std::rotate(at, timed, end);
    at = end;
  }
}

}  // namespace

struct CallGraph::Thread {
  std::span<const std::uint32_t> events;
  bool is_main = false;
  bool is_backward = false;
};

CallGraph::CallGraph(const Frame& frame) : frame_(frame), nodes_(frame.events.size()) {
  std::vector<std::tuple<std::int64_t, std::int64_t, std::uint32_t>> by_thread;
  by_thread.reserve(frame.events.size());
  for (std::uint32_t event = 0; event < frame.events.size(); ++event) {
    const ProcessIds ids = IdsOf(frame, frame.events[event]);
    nodes_[event].tid = ids.tid;
    by_thread.emplace_back(ids.pid, ids.tid, event);
  }
  std::sort(by_thread.begin(), by_thread.end());
  std::vector<std::uint32_t> order;
  order.reserve(by_thread.size());
  for (const auto& [pid, tid, event] : by_thread) order.push_back(event);

  const StringTable& strings = frame.trace->strings;
  const NameSet backward_names = NameSet::Holding(strings, "autograd::");
  std::vector<Thread> threads;
  for (std::size_t begin = 0; begin < by_thread.size();) {
    const auto [pid, tid, first] = by_thread[begin];
    std::size_t end = begin;
    while (end < by_thread.size() && std::get<0>(by_thread[end]) == pid &&
           std::get<1>(by_thread[end]) == tid)
      ++end;
    Thread thread{.events = std::span(order).subspan(begin, end - begin)};
    begin = end;
    const bool is_stream =
        std::all_of(thread.events.begin(), thread.events.end(),
                    [&](std::uint32_t event) { return frame.events[event].stream > 0; });
    if (is_stream || pid == 0 || tid == 0) continue;  // as HTA tells a device
    for (const std::uint32_t event : thread.events) {
      thread.is_main |= frame.NameOf(frame.events[event]).starts_with("ProfilerStep#");
      thread.is_backward |= backward_names.Contains(frame.trace->name[frame.events[event].row]);
    }
    thread.is_backward &= !thread.is_main;
    Nest(thread.events);
    threads.push_back(thread);
  }
  LinkDeviceWork();
  const auto is_main = [](const Thread& thread) { return thread.is_main; };
  const auto is_backward = [](const Thread& thread) { return thread.is_backward; };
  if (std::count_if(threads.begin(), threads.end(), is_main) == 1 &&
      std::count_if(threads.begin(), threads.end(), is_backward) == 1) {
    HangBelow(*std::find_if(threads.begin(), threads.end(), is_main),
              *std::find_if(threads.begin(), threads.end(), is_backward));
  }
  ListChildren();
  Measure();
}

// Gives the events of a thread that are on no stream their parents, and depth 0: they are in the
// graph. As in HTA an end closes what was opened last, whatever it is.
void CallGraph::Nest(std::span<const std::uint32_t> events) {
  std::vector<CallGraphPoint> points;
  points.reserve(2 * events.size());
  for (const std::uint32_t index : events) {
    const Event& event = frame_.events[index];
    if (event.on_stream()) continue;
    points.push_back({event.ts, event.dur, index, true});
    points.push_back({event.end(), event.dur, index, false});
  }
  std::sort(points.begin(), points.end(), ComesBefore);
  PutEmptyBehindBegins(points);
  std::vector<std::uint32_t> open;
  for (const CallGraphPoint& point : points) {
    if (point.is_open) {
      nodes_[point.event].parent = open.empty() ? kRoot : open.back();
      nodes_[point.event].depth = 0;
      open.push_back(point.event);
    } else if (!open.empty()) {
      open.pop_back();
    }
  }
}

void CallGraph::LinkDeviceWork() {
  const EventsByIndex events(frame_);
  for (std::uint32_t work = 0; work < nodes_.size(); ++work) {
    const Event& event = frame_.events[work];
    if (event.stream <= 0 || event.partner <= 0) continue;
    // An event that the filter repeats is one node.
    if (events.Find(frame_.IndexOf(event)) != &event) continue;
    const Event* const launch = events.Find(event.partner);
    if (launch == nullptr) continue;
    const auto parent = static_cast<std::uint32_t>(launch - frame_.events.data());
    if (nodes_[parent].depth < 0) continue;
    nodes_[work].parent = parent;
    nodes_[work].depth = 0;
    nodes_[work].tid = nodes_[parent].tid;
  }
}

// What is outermost on the backward thread, below the range of the main thread that encloses it:
// "## backward ##", without such ProfilerStep.
void CallGraph::HangBelow(const Thread& main, const Thread& backward) {
  std::vector<std::uint32_t> ranges;
  for (const std::string_view prefix : {"## backward ##", "ProfilerStep#"}) {
    for (const std::uint32_t event : main.events) {
      if (nodes_[event].depth >= 0 && frame_.NameOf(frame_.events[event]).starts_with(prefix))
        ranges.push_back(event);
    }
    if (!ranges.empty()) break;
  }
  for (const std::uint32_t event : backward.events) {
    if (nodes_[event].depth < 0 || nodes_[event].parent != kRoot) continue;
    const Event& outermost = frame_.events[event];
    const auto range = std::find_if(ranges.begin(), ranges.end(), [&](std::uint32_t one) {
      return frame_.events[one].ts <= outermost.ts && outermost.end() <= frame_.events[one].end();
    });
    if (range != ranges.end()) nodes_[event].parent = *range;
  }
}

void CallGraph::ListChildren() {
  const std::size_t count = nodes_.size();
  first_child_.assign(count + 1, 0);
  const auto has_parent = [&](std::uint32_t event) {
    return nodes_[event].depth >= 0 && nodes_[event].parent != kRoot;
  };
  for (std::uint32_t event = 0; event < count; ++event) {
    if (has_parent(event)) ++first_child_[nodes_[event].parent + 1];
  }
  std::partial_sum(first_child_.begin(), first_child_.end(), first_child_.begin());
  children_.resize(first_child_.back());
  std::vector<std::uint32_t> next(first_child_.begin(), first_child_.end() - 1);
  for (std::uint32_t event = 0; event < count; ++event) {
    if (has_parent(event)) children_[next[nodes_[event].parent]++] = event;
  }
}

void CallGraph::Measure() {
  std::vector<std::uint32_t> order;  // parents before their children
  order.reserve(nodes_.size());
  for (std::uint32_t event = 0; event < nodes_.size(); ++event) {
    if (nodes_[event].depth >= 0 && nodes_[event].parent == kRoot) order.push_back(event);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::uint32_t child : ChildrenOf(order[i])) {
      nodes_[child].depth = nodes_[order[i]].depth + 1;
      order.push_back(child);
    }
  }
  for (auto event = order.rbegin(); event != order.rend(); ++event) {
    Node& node = nodes_[*event];
    const Event& own = frame_.events[*event];
    if (own.on_stream()) {
      node.height = 0;
      node.kernels = 1;
      node.kernel_us = own.dur;
      node.first_kernel = own.ts;
      node.last_kernel = own.end();
    } else {
      node.height = std::max(node.height, 1);
    }
    if (node.parent == kRoot) continue;
    Node& parent = nodes_[node.parent];
    parent.height = std::max(parent.height, node.height + 1);
    parent.kernels += node.kernels;
    parent.kernel_us += node.kernel_us;
    parent.first_kernel = std::min(parent.first_kernel, node.first_kernel);
    parent.last_kernel = std::max(parent.last_kernel, node.last_kernel);
  }
}

}  // namespace rankscope::hta
