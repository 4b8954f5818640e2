#include "graph/build_graph.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/median.h"
#include "graph/device_waits.h"
#include "graph/graph_draft.h"
#include "graph/host_segments.h"
#include "graph/host_threads.h"
#include "graph/stream_segments.h"
#include "trace/device_api.h"

namespace rankscope {
namespace {

// How long a launch takes is told by so many on idle streams; fewer tell at most what it usually
// takes.
constexpr std::size_t kEnoughLaunches = 8;
constexpr std::int64_t kUsualLaunchLagNs = 20'000;

// Makes a graph of its draft: segments numbered by time, edges that times do not contradict.
class Finisher {
 public:
  Finisher(const RankTrace& trace, GraphDraft draft, std::uint32_t main_thread)
      : trace_(trace), draft_(std::move(draft)) {
    graph_.main_thread = main_thread;
  }

  DependencyGraph Finish() && {
    NumberByTime();
    ResolveEdges();
    FindEnd();
    return std::move(graph_);
  }

 private:
  void NumberByTime() {
    const SegmentId count = draft_.size();
    std::vector<SegmentId> order(count);
    std::iota(order.begin(), order.end(), SegmentId{0});
    std::sort(order.begin(), order.end(), [&](SegmentId a, SegmentId b) {
      const Segment& x = draft_.segments[a];
      const Segment& y = draft_.segments[b];
      if (x.begin_ns != y.begin_ns) return x.begin_ns < y.begin_ns;
      return x.end_ns != y.end_ns ? x.end_ns < y.end_ns : a < b;
    });
    number_.resize(count);
    std::vector<Segment> sorted;
    sorted.reserve(count);
    for (SegmentId i = 0; i < count; ++i) {
      number_[order[i]] = i;
      sorted.push_back(draft_.segments[order[i]]);
    }
    for (SegmentId i = 0; i < count; ++i) {
      SegmentId& previous = sorted[i].previous;
      if (previous == kNoSegment) continue;
      previous = number_[previous];
      if (!Agree(sorted, previous, i)) {
        previous = kNoSegment;
        ++graph_.contradicted;
      }
    }
    draft_.segments = {};
    graph_.segments = std::move(sorted);
    for (const SegmentId segment : draft_.collectives) {
      graph_.rendezvous.push_back(
          {.at_ns = graph_.segments[number_[segment]].begin_ns,
           .first_member = static_cast<std::uint32_t>(graph_.members.size()),
           .member_count = 1});
      graph_.members.push_back(number_[segment]);
    }
  }

  // Whether the times of two segments allow that `to` waited for `from`.
  bool Agree(const std::vector<Segment>& segments, SegmentId from, SegmentId to) const {
    if (from >= to) return false;
    const Segment& earlier = segments[from];
    const std::int64_t begin = segments[to].begin_ns;
    if (earlier.end_ns <= begin) return true;
    const std::int64_t began = earlier.on_device()
                                   ? trace_.ts_ns[earlier.first_row + earlier.row_count - 1]
                                   : earlier.begin_ns;
    return earlier.end_ns <= begin + kClockToleranceNs && began < begin;
  }

  void ResolveEdges() {
    const std::vector<Segment>& segments = graph_.segments;
    std::vector<Dependency> found;
    found.reserve(draft_.edges.size());
    graph_.first_dependency.assign(segments.size() + 1, 0);
    for (const DraftEdge& edge : draft_.edges) {
      // Of work that is no segment's (Streams::kNone) nothing was launched.
      if (edge.to_row != kNoRow && edge.kind == DependencyKind::kLaunch &&
          draft_.launched[edge.to_row] == 0)
        continue;
      Dependency dependency{.kind = edge.kind, .inferred = edge.inferred};
      dependency.to = number_[edge.to_row != kNoRow ? draft_.segment_of_row[edge.to_row] : edge.to];
      dependency.from =
          number_[edge.from_row != kNoRow ? draft_.segment_of_row[edge.from_row] : edge.from];
      if (!Agree(segments, dependency.from, dependency.to)) {
        ++graph_.contradicted;
        continue;
      }
      ++graph_.first_dependency[dependency.to + 1];
      found.push_back(dependency);
    }
    std::partial_sum(graph_.first_dependency.begin(), graph_.first_dependency.end(),
                     graph_.first_dependency.begin());
    graph_.dependencies.resize(found.size());
    std::vector<std::uint32_t> next(graph_.first_dependency.begin(),
                                    graph_.first_dependency.end() - 1);
    for (const Dependency& dependency : found)
      graph_.dependencies[next[dependency.to]++] = dependency;
    SetLags();
  }

  std::int64_t GapOf(const Dependency& dependency) const {
    return graph_.segments[dependency.to].begin_ns - graph_.segments[dependency.from].end_ns;
  }

  void SetLags() {
    std::vector<std::int64_t> idle_launches;
    for (const Dependency& dependency : graph_.dependencies) {
      const Segment& to = graph_.segments[dependency.to];
      if (dependency.kind != DependencyKind::kLaunch || GapOf(dependency) < 0) continue;
      const bool alone = graph_.DependenciesOf(dependency.to).size() == 1;
      const bool idle = to.previous == kNoSegment || graph_.segments[to.previous].end_ns <=
                                                         graph_.segments[dependency.from].end_ns;
      if (alone && idle) idle_launches.push_back(GapOf(dependency));
    }
    // A few may have waited for work that was queued before the recording began.
    const std::int64_t most_lag =
        idle_launches.size() < kEnoughLaunches ? kUsualLaunchLagNs : kLaunchLimitNs;
    if (!idle_launches.empty())
      graph_.launch_lag_ns = std::min<std::int64_t>(MedianOf(idle_launches), most_lag);
    for (Dependency& dependency : graph_.dependencies) {
      const std::int64_t most =
          dependency.kind == DependencyKind::kLaunch ? graph_.launch_lag_ns : 0;
      dependency.lag_ns = static_cast<std::int32_t>(std::min(most, GapOf(dependency)));
    }
  }

  void FindEnd() {
    graph_.begin_ns = trace_.begin_ns;
    graph_.end_ns = trace_.begin_ns;
    for (SegmentId i = 0; i < graph_.segments.size(); ++i) {
      const Segment& segment = graph_.segments[i];
      if (!segment.on_device() && segment.track != graph_.main_thread) continue;
      // Of what ends at the same time the host, then the first track.
      const auto rank = [&](const Segment& of) {
        return std::tuple(of.end_ns, !of.on_device(), -std::int64_t{of.track}, of.first_row);
      };
      if (graph_.last != kNoSegment && rank(segment) <= rank(graph_.segments[graph_.last]))
        continue;
      graph_.last = i;
      graph_.end_ns = segment.end_ns;
    }
  }

  const RankTrace& trace_;
  GraphDraft draft_;
  DependencyGraph graph_;
  std::vector<SegmentId> number_;  // final, of each segment of the draft
};

}  // namespace

DependencyGraph BuildGraph(const RankTrace& trace, const std::function<bool(Row)>& is_collective,
                           Contraction contraction, Streams streams) {
  const HostThreads threads = FindHostThreads(trace);
  const DeviceWaits waits = streams == Streams::kAll ? FindDeviceWaits(trace) : DeviceWaits{};
  GraphDraft draft(trace.row_count());
  AddHostSegments(trace, threads, waits, draft);
  if (streams == Streams::kAll) AddStreamSegments(trace, waits, is_collective, contraction, draft);
  return Finisher(trace, std::move(draft), threads.main).Finish();
}

}  // namespace rankscope
