#include "graph/host_segments.h"

#include <algorithm>

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

class HostSegments {
 public:
  HostSegments(const RankTrace& trace, const HostThreads& threads, const DeviceWaits& waits,
               GraphDraft& draft)
      : trace_(trace),
        threads_(threads),
        waits_(waits),
        draft_(draft),
        begins_burst_(threads.bursts.size(), kNoSegment),
        ends_burst_(threads.bursts.size(), kNoSegment) {}

  void Add() {
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
        draft_.edges.push_back({.from = handed_over,
                                .to = begins_burst_[i],
                                .kind = DependencyKind::kThread,
                                .inferred = true});
    }
    for (DraftEdge& edge : after_burst_) {
      edge.from = ends_burst_[edge.from];
      if (edge.from != kNoSegment) draft_.edges.push_back(edge);
    }
  }

 private:
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
      begins_burst_[i] = draft_.size();
      DivideThread(track, burst.begin_ns, burst.end_ns, previous);
      previous = draft_.size() - 1;
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
    const auto first = static_cast<std::ptrdiff_t>(draft_.segments.size());
    std::int64_t since = begin;
    SegmentId closed = kNoSegment;  // the segment that ends at `since`, when there is one
    // The last segment of these that had ended by t.
    const auto ended_by = [&](std::int64_t t) {
      const auto next =
          std::partition_point(draft_.segments.begin() + first, draft_.segments.end(),
                               [&](const Segment& segment) { return segment.end_ns <= t; });
      return next == draft_.segments.begin() + first
                 ? kNoSegment
                 : static_cast<SegmentId>(next - draft_.segments.begin() - 1);
    };
    const auto close = [&](std::int64_t t) {
      if (closed != kNoSegment && draft_.segments[closed].end_ns >= t) return;
      closed = draft_.size();
      draft_.segments.push_back(
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
            draft_.edges.push_back(
                {.from = before, .to_row = pair.to, .kind = DependencyKind::kLaunch});
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
          const auto next = draft_.size();
          if (pause.source != kNoRow) {
            draft_.edges.push_back({.to = next,
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
      draft_.segments.push_back({.begin_ns = since,
                                 .end_ns = std::max(since, end),
                                 .track = track,
                                 .previous = previous});
    }
  }

  const RankTrace& trace_;
  const HostThreads& threads_;
  const DeviceWaits& waits_;
  GraphDraft& draft_;
  std::vector<DraftEdge> after_burst_;  // `from` is a burst
  std::vector<SegmentId> main_before_burst_;
  std::vector<SegmentId> begins_burst_;
  std::vector<SegmentId> ends_burst_;
  std::vector<HostPause> pauses_;  // of the thread at hand
  std::vector<Mark> marks_;
};

}  // namespace

void AddHostSegments(const RankTrace& trace, const HostThreads& threads, const DeviceWaits& waits,
                     GraphDraft& draft) {
  HostSegments(trace, threads, waits, draft).Add();
}

}  // namespace rankscope
