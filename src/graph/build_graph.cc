#include "graph/build_graph.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "graph/device_waits.h"
#include "graph/host_threads.h"
#include "graph/stream_order.h"

namespace rankscope {
namespace {

// Something that divides the time of a host thread.
struct Mark {
  enum class Kind : std::uint8_t { kLaunch, kBurst, kWait };  // at the same time in this order
  std::int64_t t = 0;
  std::uint32_t what = 0;  // a launching call, a burst, or a wait of the list at hand
  Kind kind = Kind::kLaunch;
};

// A time in which a thread does nothing but wait, and what for.
struct HostPause {
  std::int64_t begin_ns = 0;
  std::int64_t until_ns = 0;
  Row source = kNoRow;               // device work, or
  std::uint32_t burst = UINT32_MAX;  // a burst of another thread
  DependencyKind kind = DependencyKind::kSync;
  bool inferred = false;
};

// An edge before the segments have their final numbers. `from` is a segment, or the device work
// of from_row; `to` likewise.
struct Edge {
  SegmentId from = kNoSegment;
  SegmentId to = kNoSegment;
  Row from_row = kNoRow;
  Row to_row = kNoRow;
  DependencyKind kind = DependencyKind::kOrder;
  bool inferred = false;
};

class Builder {
 public:
  Builder(const RankTrace& trace, const std::function<bool(Row)>& is_collective,
          Contraction contraction)
      : trace_(trace),
        is_collective_(is_collective),
        contracts_(contraction == Contraction::kBetweenDependencies),
        threads_(FindHostThreads(trace)),
        waits_(FindDeviceWaits(trace)),
        segment_of_row_(trace.row_count(), kNoSegment),
        launched_(trace.row_count(), 0),
        begins_burst_(threads_.bursts.size(), kNoSegment),
        ends_burst_(threads_.bursts.size(), kNoSegment) {}

  DependencyGraph Build() {
    AddHostThreads();
    AddStreams();
    NumberByTime();
    ResolveEdges();
    FindEnd();
    return std::move(graph_);
  }

 private:
  // --- host threads ---

  void AddHostThreads() {
    graph_.main_thread = threads_.main;
    if (threads_.main == kNoTrack) return;
    AddMainThread();
    auto burst = threads_.bursts.begin();
    while (burst != threads_.bursts.end()) {
      const auto next = std::find_if(burst, threads_.bursts.end(), [&](const Burst& other) {
        return other.track != burst->track;
      });
      AddBursts(static_cast<std::uint32_t>(burst - threads_.bursts.begin()),
                static_cast<std::uint32_t>(next - threads_.bursts.begin()));
      burst = next;
    }
    for (std::uint32_t i = 0; i < threads_.bursts.size(); ++i) {
      const SegmentId handed_over = main_before_burst_[i];
      if (handed_over != kNoSegment && begins_burst_[i] != kNoSegment)
        edges_.push_back({.from = handed_over,
                          .to = begins_burst_[i],
                          .kind = DependencyKind::kThread,
                          .inferred = true});
    }
    for (Edge& edge : after_burst_) {
      edge.from = ends_burst_[edge.from];
      if (edge.from != kNoSegment) edges_.push_back(edge);
    }
  }

  void AddMainThread() {
    const Track& main = trace_.tracks[threads_.main];
    std::int64_t end = INT64_MIN;
    std::int64_t begin = INT64_MAX;
    for (Row row = main.begin; row < main.end; ++row) {
      if (trace_.dur_ns[row] < 0) continue;
      begin = std::min(begin, trace_.ts_ns[row]);
      end = std::max(end, trace_.end_ns(row));
    }
    main_before_burst_.assign(threads_.bursts.size(), kNoSegment);
    if (begin > end) return;
    pauses_ = PausesOf(threads_.main);
    marks_ = LaunchMarks(threads_.main);
    for (std::uint32_t i = 0; i < threads_.bursts.size(); ++i) {
      const Burst& burst = threads_.bursts[i];
      marks_.push_back({burst.begin_ns, i, Mark::Kind::kBurst});
      if (burst.main_waits && burst.begin_ns < burst.end_ns)
        pauses_.push_back({.begin_ns = burst.begin_ns,
                           .until_ns = burst.end_ns,
                           .burst = i,
                           .kind = DependencyKind::kThread,
                           .inferred = true});
    }
    DivideThread(threads_.main, begin, end, kNoSegment);
  }

  // The bursts of one thread, [first, last).
  void AddBursts(std::uint32_t first, std::uint32_t last) {
    const std::uint32_t track = threads_.bursts[first].track;
    std::vector<HostPause> pauses = PausesOf(track);
    std::vector<Mark> marks = LaunchMarks(track);
    auto pause = pauses.begin();
    auto mark = marks.begin();
    SegmentId previous = kNoSegment;
    for (std::uint32_t i = first; i < last; ++i) {
      const Burst& burst = threads_.bursts[i];
      pauses_.clear();
      marks_.clear();
      for (; pause != pauses.end() && pause->begin_ns <= burst.end_ns; ++pause)
        pauses_.push_back(*pause);
      for (; mark != marks.end() && mark->t <= burst.end_ns; ++mark) marks_.push_back(*mark);
      begins_burst_[i] = static_cast<SegmentId>(graph_.segments.size());
      DivideThread(track, burst.begin_ns, burst.end_ns, previous);
      previous = static_cast<SegmentId>(graph_.segments.size() - 1);
      ends_burst_[i] = previous;
    }
  }

  std::vector<HostPause> PausesOf(std::uint32_t track) const {
    std::vector<HostPause> pauses;
    const auto first = std::lower_bound(
        waits_.host.begin(), waits_.host.end(), track,
        [](const HostWait& wait, std::uint32_t value) { return wait.track < value; });
    for (auto wait = first; wait != waits_.host.end() && wait->track == track; ++wait)
      pauses.push_back({.begin_ns = wait->begin_ns,
                        .until_ns = wait->until_ns,
                        .source = wait->source,
                        .kind = wait->kind,
                        .inferred = wait->inferred});
    return pauses;
  }

  std::vector<Mark> LaunchMarks(std::uint32_t track) const {
    std::vector<Mark> marks;
    const Track& thread = trace_.tracks[track];
    const auto* pair =
        std::lower_bound(trace_.launch_kernels.begin(), trace_.launch_kernels.end(), thread.begin,
                         [](const RowPair& a, Row row) { return a.from < row; });
    for (; pair != trace_.launch_kernels.end() && pair->from < thread.end; ++pair) {
      if (marks.empty() || marks.back().what != pair->from)
        marks.push_back({trace_.ts_ns[pair->from], pair->from, Mark::Kind::kLaunch});
    }
    return marks;
  }

  // Segments of [begin, end) between pauses_ and marks_; at least one.
  void DivideThread(std::uint32_t track, std::int64_t begin, std::int64_t end, SegmentId previous) {
    for (std::uint32_t i = 0; i < pauses_.size(); ++i)
      marks_.push_back({pauses_[i].begin_ns, i, Mark::Kind::kWait});
    std::sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) {
      if (a.t != b.t) return a.t < b.t;
      return a.kind != b.kind ? a.kind < b.kind : a.what < b.what;
    });
    const auto first = static_cast<std::ptrdiff_t>(graph_.segments.size());
    std::int64_t since = begin;
    SegmentId closed = kNoSegment;  // the segment that ends at `since`, when there is one
    // The last segment of these that had ended by t.
    const auto ended_by = [&](std::int64_t t) {
      const auto next =
          std::partition_point(graph_.segments.begin() + first, graph_.segments.end(),
                               [&](const Segment& segment) { return segment.end_ns <= t; });
      return next == graph_.segments.begin() + first
                 ? kNoSegment
                 : static_cast<SegmentId>(next - graph_.segments.begin() - 1);
    };
    const auto close = [&](std::int64_t t) {
      if (closed != kNoSegment && graph_.segments[closed].end_ns >= t) return;
      closed = static_cast<SegmentId>(graph_.segments.size());
      graph_.segments.push_back(
          {.begin_ns = since, .end_ns = t, .track = track, .previous = previous});
      previous = closed;
      since = t;
    };
    for (const Mark& mark : marks_) {
      // Calls may nest, and end behind the burst around them: no time comes twice.
      const std::int64_t t = std::clamp(mark.t, since, std::max(since, end));
      const bool waits_on = mark.kind == Mark::Kind::kWait && closed == kNoSegment && t == since;
      const bool is_inside_wait = mark.kind != Mark::Kind::kWait && mark.t < since;
      if (!waits_on && !is_inside_wait) close(t);
      const SegmentId before = is_inside_wait ? ended_by(mark.t) : closed;
      switch (mark.kind) {
        case Mark::Kind::kLaunch:
          if (before == kNoSegment) break;
          for (const RowPair& pair : trace_.KernelsOf(mark.what))
            edges_.push_back({.from = before, .to_row = pair.to, .kind = DependencyKind::kLaunch});
          break;
        case Mark::Kind::kBurst:
          main_before_burst_[mark.what] = before;
          break;
        case Mark::Kind::kWait: {
          const HostPause& pause = pauses_[mark.what];
          const std::int64_t until = std::min(pause.until_ns, std::max(since, end));
          if (until <= since && closed != kNoSegment) break;
          since = std::max(since, until);
          closed = kNoSegment;
          const auto next = static_cast<SegmentId>(graph_.segments.size());
          if (pause.source != kNoRow) {
            edges_.push_back({.to = next,
                              .from_row = pause.source,
                              .kind = pause.kind,
                              .inferred = pause.inferred});
          } else {
            after_burst_.push_back(
                {.from = pause.burst, .to = next, .kind = pause.kind, .inferred = pause.inferred});
          }
          break;
        }
      }
    }
    if (closed == kNoSegment || since < end) {
      graph_.segments.push_back({.begin_ns = since,
                                 .end_ns = std::max(since, end),
                                 .track = track,
                                 .previous = previous});
    }
  }

  // --- streams ---

  void AddStreams() {
    const std::vector<Row> predecessor = StreamPredecessors(trace_);
    std::vector<std::uint8_t> begins(trace_.row_count(), 0);  // a segment
    std::vector<std::uint8_t> ends(trace_.row_count(), 0);
    for (const StreamWait& wait : waits_.stream) {
      ends[wait.from] = 1;
      begins[wait.to] = 1;
      edges_.push_back({.from_row = wait.from,
                        .to_row = wait.to,
                        .kind = DependencyKind::kEventWait,
                        .inferred = wait.inferred});
    }
    for (const HostWait& wait : waits_.host) ends[wait.source] = 1;
    for (const Track& track : trace_.tracks) {
      if (track.domain != Domain::kDevice) continue;
      Row before = kNoRow;
      for (Row row = track.begin; row < track.end; ++row) {
        if (!IsDeviceWork(trace_.kind[row])) continue;
        if (const Row earlier = predecessor[row]; earlier != before && earlier != kNoRow)
          ends[earlier] = 1;
        const bool has_launch = trace_.link[row] != kNoRow;
        // Of a graph the first on a stream stands for the others.
        launched_[row] =
            has_launch && (before == kNoRow || trace_.link[row] != trace_.link[before]);
        if (launched_[row] != 0) begins[row] = 1;
        before = row;
      }
    }
    for (std::uint32_t index = 0; index < trace_.tracks.size(); ++index) {
      if (trace_.tracks[index].domain == Domain::kDevice)
        AddStream(index, predecessor, begins, ends);
    }
  }

  void AddStream(std::uint32_t index, const std::vector<Row>& predecessor,
                 const std::vector<std::uint8_t>& begins, const std::vector<std::uint8_t>& ends) {
    const Track& track = trace_.tracks[index];
    Row before = kNoRow;
    bool before_is_collective = false;
    for (Row row = track.begin; row < track.end; ++row) {
      if (!IsDeviceWork(trace_.kind[row])) continue;
      const bool collective = trace_.kind[row] == EventKind::kKernel && is_collective_(row);
      const Row earlier = predecessor[row];
      const bool continues = contracts_ && !collective && !before_is_collective &&
                             before != kNoRow && before + 1 == row && earlier == before &&
                             trace_.end_ns(before) <= trace_.ts_ns[row] &&
                             trace_.dur_ns[before] > 0 && trace_.dur_ns[row] > 0 &&
                             begins[row] == 0 && ends[before] == 0;
      if (continues) {
        Segment& segment = graph_.segments.back();
        segment.end_ns = trace_.end_ns(row);
        ++segment.row_count;
      } else {
        graph_.segments.push_back(
            {.begin_ns = trace_.ts_ns[row],
             .end_ns = trace_.end_ns(row),
             .track = index,
             .first_row = row,
             .row_count = 1,
             .previous = earlier == kNoRow ? kNoSegment : segment_of_row_[earlier]});
        if (collective) collectives_.push_back(static_cast<SegmentId>(graph_.segments.size() - 1));
      }
      segment_of_row_[row] = static_cast<SegmentId>(graph_.segments.size() - 1);
      before = row;
      before_is_collective = collective;
    }
  }

  // --- numbers and edges ---

  void NumberByTime() {
    const auto count = static_cast<SegmentId>(graph_.segments.size());
    std::vector<SegmentId> order(count);
    std::iota(order.begin(), order.end(), SegmentId{0});
    std::sort(order.begin(), order.end(), [&](SegmentId a, SegmentId b) {
      const Segment& x = graph_.segments[a];
      const Segment& y = graph_.segments[b];
      if (x.begin_ns != y.begin_ns) return x.begin_ns < y.begin_ns;
      return x.end_ns != y.end_ns ? x.end_ns < y.end_ns : a < b;
    });
    number_.resize(count);
    std::vector<Segment> sorted;
    sorted.reserve(count);
    for (SegmentId i = 0; i < count; ++i) {
      number_[order[i]] = i;
      sorted.push_back(graph_.segments[order[i]]);
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
    graph_.segments = std::move(sorted);
    for (const SegmentId segment : collectives_) {
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
    found.reserve(edges_.size());
    graph_.first_dependency.assign(segments.size() + 1, 0);
    for (const Edge& edge : edges_) {
      Dependency dependency{.kind = edge.kind, .inferred = edge.inferred};
      if (edge.to_row != kNoRow) {
        dependency.to = number_[segment_of_row_[edge.to_row]];
        if (edge.kind == DependencyKind::kLaunch && launched_[edge.to_row] == 0) continue;
      } else {
        dependency.to = number_[edge.to];
      }
      dependency.from =
          number_[edge.from_row != kNoRow ? segment_of_row_[edge.from_row] : edge.from];
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
    if (!idle_launches.empty()) {
      const auto middle =
          idle_launches.begin() + static_cast<std::ptrdiff_t>((idle_launches.size() - 1) / 2);
      std::nth_element(idle_launches.begin(), middle, idle_launches.end());
      graph_.launch_lag_ns = std::min<std::int64_t>(*middle, INT32_MAX);
    }
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
  const std::function<bool(Row)>& is_collective_;
  bool contracts_;
  HostThreads threads_;
  DeviceWaits waits_;
  DependencyGraph graph_;
  std::vector<Edge> edges_;
  std::vector<Edge> after_burst_;  // `from` is a burst
  std::vector<SegmentId> segment_of_row_;
  std::vector<std::uint8_t> launched_;  // of each row: device work that a launch lets begin
  std::vector<SegmentId> main_before_burst_;
  std::vector<SegmentId> begins_burst_;
  std::vector<SegmentId> ends_burst_;
  std::vector<SegmentId> collectives_;
  std::vector<SegmentId> number_;  // final, of each segment as it was made
  std::vector<HostPause> pauses_;  // of the thread at hand
  std::vector<Mark> marks_;
};

}  // namespace

DependencyGraph BuildGraph(const RankTrace& trace, const std::function<bool(Row)>& is_collective,
                           Contraction contraction) {
  return Builder(trace, is_collective, contraction).Build();
}

}  // namespace rankscope
