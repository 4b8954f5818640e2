#include "replay/recording/host_pieces.h"

#include <algorithm>
#include <utility>

#include "base/interval.h"
#include "base/saturating.h"
#include "facts/gloo_transfer.h"
#include "facts/path_charges.h"
#include "graph/innermost_rows.h"
#include "replay/recording/host_work.h"
#include "trace/profiler_frames.h"
#include "trace/step_filter.h"
#include "trace/step_names.h"

namespace rankscope {
namespace {

class Slicer {
 public:
  Slicer(const TraceFacts& facts, std::vector<std::deque<HostPiece>>& pieces,
         std::vector<std::uint32_t>& count)
      : trace_(facts.trace()), graph_(facts.graph()), host_(facts), pieces_(pieces), count_(count) {
    FindProfilers();
  }

  void Run() {
    FindWaits();
    std::vector<std::vector<SegmentId>> of_track(trace_.tracks.size());
    for (SegmentId i = 0; i < graph_.segments.size(); ++i) {
      if (!graph_.segments[i].on_device()) of_track[graph_.segments[i].track].push_back(i);
    }
    for (std::uint32_t track = 0; track < of_track.size(); ++track) {
      if (!of_track[track].empty()) SliceThread(track, of_track[track]);
    }
  }

 private:
  // A row that runs for so long on its own is a node of its own, with its name.
  static constexpr std::int64_t kLongPieceNs = 100'000;
  static constexpr std::int64_t kRoundingNs = 2;

  // A stretch of a host segment of one kind of work.
  struct Slice {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    Row row = kNoRow;  // the innermost one of its longest piece
    Work work = Work::kPython;
    std::int32_t step = -1;  // in which it begins; none goes on into another, where rows tell them
    std::int64_t longest = 0;     // that piece
    Row around = kNoRow;          // the innermost one that all of its pieces are in
    Row last_row = kNoRow;        // of its last piece
    std::int64_t last_begin = 0;  // of that
    bool is_profilers = false;    // what a profiler does for itself
  };

  Slice SliceOf(Interval part, Row row, Work work) const {
    return {.begin = part.begin,
            .end = part.end,
            .row = row,
            .work = work,
            .step = StepOfCall(trace_, part.begin),
            .longest = part.end - part.begin,
            .around = row,
            .last_row = row,
            .last_begin = part.begin};
  }
  // Named by the profiler's frame, whatever that calls.
  Slice SliceOfProfiler(Interval part, Row frame, Work work) const {
    Slice slice = SliceOf(part, frame, work);
    slice.is_profilers = true;
    return slice;
  }

  // The frame of a profiler that a row is, or is inside of. What begins in a call of the profiler
  // that is over (a step's mark, and all behind it) is inside of none.
  void FindProfilers() {
    std::vector<bool> is_frame(trace_.strings.size());
    bool has_any = false;
    for (StringId id = 0; id < is_frame.size(); ++id) {
      is_frame[id] = IsFrameOfProfiler(trace_.strings.Get(id));
      has_any = has_any || is_frame[id];
    }
    if (!has_any) return;
    profilers_.assign(trace_.row_count(), kNoRow);
    for (const Track& track : trace_.tracks) {
      if (track.domain != Domain::kHost) continue;
      for (Row row = track.begin; row < track.end; ++row) {
        const Row around = trace_.parent[row] == kNoRow ? kNoRow : profilers_[trace_.parent[row]];
        if (around != kNoRow && trace_.end_ns(around) >= trace_.end_ns(row)) {
          profilers_[row] = around;
        } else if (is_frame[trace_.name[row]] && trace_.kind[row] == EventKind::kPythonFunction) {
          profilers_[row] = row;
        }
      }
    }
  }
  Row ProfilerOf(Row row) const {
    return row == kNoRow || profilers_.empty() ? kNoRow : profilers_[row];
  }

  // What a slice is called by: the row that takes most of it, else what all of it is in. A range of
  // the profiler says nothing.
  Row NameOf(const Slice& slice) const {
    if (2 * slice.longest >= slice.end - slice.begin || slice.around == kNoRow ||
        ProfilerStepNumber(trace_.name_of(slice.around)))
      return slice.row;
    return slice.around;
  }

  // What the host does in `part`, of which `row` is the innermost one: a step's mark says nothing
  // of it, and begins in a call of the profiler that is over; what is around both does. The mark
  // where nothing is.
  Row BehindMark(Row row, Interval part) const {
    if (row == kNoRow || !ProfilerStepNumber(trace_.name_of(row))) return row;
    Row around = trace_.parent[row];
    while (around != kNoRow && trace_.end_ns(around) < part.end) around = trace_.parent[around];
    return around == kNoRow ? row : around;
  }

  // The innermost row that both are in.
  Row AroundBoth(Row a, Row b) const {
    if (b == kNoRow) return kNoRow;
    const auto end_of = [&](Row row) {
      return SaturatingAdd(trace_.ts_ns[row], std::max<std::int64_t>(trace_.dur_ns[row], 0));
    };
    while (a != kNoRow && (trace_.ts_ns[a] > trace_.ts_ns[b] || end_of(a) < end_of(b)))
      a = trace_.parent[a];
    return a;
  }

  // Calls visit(piece, is_exchange): of a collective of gloo its exchange with other ranks is
  // apart.
  template <typename Visit>
  void DivideByExchange(Interval part, Row row, const Visit& visit) const {
    if (row == kNoRow || !IsCollectiveOfGloo(trace_, row)) {
      visit(part, false);
      return;
    }
    const Interval exchange = ExchangeOfGloo(trace_, row);
    const std::int64_t begin = std::clamp(exchange.begin, part.begin, part.end);
    const std::int64_t end = std::clamp(exchange.end, begin, part.end);
    if (part.begin < begin) visit(Interval{part.begin, begin}, false);
    if (begin < end) visit(Interval{begin, end}, true);
    if (end < part.end) visit(Interval{end, part.end}, false);
  }

  void SliceThread(std::uint32_t track, const std::vector<SegmentId>& segments) {
    std::size_t next = 0;
    SegmentId open = kNoSegment;
    host_.Begin(track);
    ForEachInnermost(trace_, track, [&](std::int64_t begin, std::int64_t end, Row row) {
      while (next < segments.size() && graph_.segments[segments[next]].end_ns <= begin) ++next;
      for (std::size_t i = next; i < segments.size(); ++i) {
        const Segment& segment = graph_.segments[segments[i]];
        if (segment.begin_ns >= end) break;
        const std::int64_t from = std::max(begin, segment.begin_ns);
        const std::int64_t until = std::min(end, segment.end_ns);
        if (from >= until) continue;
        if (segments[i] != open) ClosePieces(std::exchange(open, segments[i]));
        host_.Divide({from, until}, row, [&](Interval part, Work work) {
          DivideByExchange(part, row, [&](Interval piece, bool is_exchange) {
            const Row inner = BehindMark(row, piece);
            const Row profiler = ProfilerOf(inner);
            if (profiler != kNoRow) {
              AddSlice(slices_, SliceOfProfiler(piece, profiler, work));
            } else {
              AddSlice(slices_, SliceOf(piece, inner, is_exchange ? Work::kCommunication : work));
            }
          });
        });
      }
    });
    ClosePieces(open);
  }

  // Slices are those of this segment, and all of it.
  void ClosePieces(SegmentId id) {
    if (id == kNoSegment) return;
    std::deque<HostPiece>& pieces = pieces_[graph_.segments[id].track];
    const auto add = [&](const Slice& slice, Row row, std::int64_t begin, std::int64_t end) {
      const bool is_long = slice.longest >= kLongPieceNs;
      ++count_[id];
      pieces.push_back({.begin = begin,
                        .end = end,
                        .row = row,
                        .long_row = is_long ? slice.row : kNoRow,
                        .step = slice.step,
                        .work = slice.work});
    };
    for (const Slice& slice : slices_) {
      // What waits for the device is the op at the end, whatever took longest before.
      const bool is_last = &slice == &slices_.back();
      const Row waiting = is_last && waits_behind_[id] ? OpAround(slice.last_row) : kNoRow;
      if (waiting == kNoRow) {
        add(slice, NameOf(slice), slice.begin, slice.end);
        continue;
      }
      if (slice.begin < slice.last_begin) add(slice, NameOf(slice), slice.begin, slice.last_begin);
      add(slice, waiting, slice.last_begin, slice.end);
    }
    slices_.clear();
  }

  void AddSlice(std::vector<Slice>& slices, const Slice& slice) const {
    // What rounding leaves between two rows that begin together is no piece: in some steps it would
    // be there, and set all that follows apart from its like.
    if (!slices.empty() && slices.back().end - slices.back().begin <= kRoundingNs &&
        slices.back().work != Work::kCommunication) {
      const std::int64_t begin = slices.back().begin;
      slices.back() = slice;
      slices.back().begin = begin;
      return;
    }
    const auto is_long = [](const Slice& one) {
      return one.longest >= kLongPieceNs || one.work == Work::kCommunication;
    };
    if (slices.empty() || slices.back().work != slice.work || slices.back().step != slice.step ||
        slices.back().is_profilers != slice.is_profilers || is_long(slice) ||
        is_long(slices.back())) {
      slices.push_back(slice);
      return;
    }
    Slice& last = slices.back();
    last.end = slice.end;
    last.around = AroundBoth(last.around, slice.row);
    last.last_row = slice.row;
    last.last_begin = slice.begin;
    if (slice.longest > last.longest) {
      last.longest = slice.longest;
      last.row = slice.row;
    }
  }

  // The innermost op that the row is, or is in.
  Row OpAround(Row row) const {
    while (row != kNoRow && trace_.kind[row] != EventKind::kCpuOp) row = trace_.parent[row];
    return row;
  }

  // Host segments behind which their thread waits for a device.
  void FindWaits() {
    waits_behind_.assign(graph_.segments.size(), false);
    for (const Dependency& edge : graph_.dependencies) {
      const SegmentId before = graph_.segments[edge.to].previous;
      if (edge.kind == DependencyKind::kSync && before != kNoSegment) waits_behind_[before] = true;
    }
  }

  const RankTrace& trace_;
  const DependencyGraph& graph_;
  HostWork host_;
  std::vector<std::deque<HostPiece>>& pieces_;
  std::vector<std::uint32_t>& count_;
  std::vector<Row> profilers_;      // by row; empty: no profiler's frame was recorded
  std::vector<bool> waits_behind_;  // by segment
  std::vector<Slice> slices_;       // of the segment that is sliced
};

}  // namespace

HostPieces::HostPieces(const TraceFacts& facts)
    : pieces_(facts.trace().tracks.size()), count_(facts.graph().segments.size(), 0) {
  Slicer(facts, pieces_, count_).Run();
}

}  // namespace rankscope
