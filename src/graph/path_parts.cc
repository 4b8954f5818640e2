#include "graph/path_parts.h"

#include <algorithm>

#include "graph/innermost_rows.h"
#include "trace/device_api.h"
#include "trace/launch_time.h"

namespace rankscope {
namespace {

class Divider {
 public:
  Divider(const RankTrace& trace, const DependencyGraph& graph) : trace_(trace), graph_(graph) {}

  std::vector<PathPart> Divide(std::span<const PathPiece> path) {
    for (const PathPiece& piece : path) {
      if (!piece.is_work) {
        Gap(piece);
      } else if (graph_.segments[piece.segment].on_device()) {
        DeviceWork(piece);
      } else {
        host_.push_back({piece.begin_ns, piece.end_ns, graph_.segments[piece.segment].track});
      }
    }
    HostWork();
    std::sort(parts_.begin(), parts_.end(),
              [](const PathPart& a, const PathPart& b) { return a.begin_ns < b.begin_ns; });
    return std::move(parts_);
  }

 private:
  struct HostSpan {
    std::int64_t begin_ns;
    std::int64_t end_ns;
    std::uint32_t track;
  };

  void Put(std::int64_t begin, std::int64_t end, std::uint32_t track, Row row, PathCause cause) {
    if (begin < end) parts_.push_back({begin, end, track, row, cause});
  }

  void Gap(const PathPiece& piece) {
    const Segment& next = graph_.segments[piece.segment];
    const Row row = next.first_row;
    if (piece.after == kNoSegment || row == kNoRow) {
      Put(piece.begin_ns, piece.end_ns, next.track, row, PathCause::kUnexplained);
    } else if (piece.kind == DependencyKind::kLaunch) {
      const std::int64_t limit = LaunchingUntil(trace_, row, {piece.begin_ns, piece.end_ns});
      Put(piece.begin_ns, limit, next.track, row, PathCause::kLaunch);
      Put(limit, piece.end_ns, next.track, row, PathCause::kUnexplained);
    } else {
      DeviceGap(piece.begin_ns, piece.end_ns, next.track, row);
    }
  }

  void DeviceGap(std::int64_t begin, std::int64_t end, std::uint32_t track, Row next) {
    Put(begin, end, track, next,
        end - begin > kGapLimitNs ? PathCause::kUnexplained : PathCause::kKernelGap);
  }

  void DeviceWork(const PathPiece& piece) {
    const Segment& segment = graph_.segments[piece.segment];
    std::int64_t until = piece.begin_ns;
    // The first row that has not ended by then; rows of a segment do not overlap.
    Row row = segment.first_row;
    Row last = segment.first_row + segment.row_count;
    while (row < last) {
      const Row middle = row + (last - row) / 2;
      if (trace_.end_ns(middle) <= piece.begin_ns) {
        row = middle + 1;
      } else {
        last = middle;
      }
    }
    for (; row < segment.first_row + segment.row_count && until < piece.end_ns; ++row) {
      const std::int64_t begin = std::clamp(trace_.ts_ns[row], until, piece.end_ns);
      const std::int64_t end = std::clamp(trace_.end_ns(row), begin, piece.end_ns);
      DeviceGap(until, begin, segment.track, row);
      Put(begin, end, segment.track, row, PathCause::kDevice);
      until = end;
    }
    Put(until, piece.end_ns, segment.track, kNoRow, PathCause::kUnexplained);
  }

  void HostWork() {
    std::sort(host_.begin(), host_.end(), [](const HostSpan& a, const HostSpan& b) {
      return a.track != b.track ? a.track < b.track : a.begin_ns < b.begin_ns;
    });
    auto span = host_.begin();
    while (span != host_.end()) {
      const std::uint32_t track = span->track;
      ForEachInnermost(trace_, track, [&](std::int64_t begin, std::int64_t end, Row row) {
        while (span != host_.end() && span->track == track && span->end_ns <= begin) ++span;
        for (auto at = span; at != host_.end() && at->track == track && at->begin_ns < end; ++at)
          Put(std::max(begin, at->begin_ns), std::min(end, at->end_ns), track, row,
              PathCause::kHost);
      });
      while (span != host_.end() && span->track == track) ++span;
    }
  }

  const RankTrace& trace_;
  const DependencyGraph& graph_;
  std::vector<HostSpan> host_;
  std::vector<PathPart> parts_;
};

}  // namespace

std::vector<PathPart> PathParts(const RankTrace& trace, const DependencyGraph& graph,
                                std::span<const PathPiece> path) {
  return Divider(trace, graph).Divide(path);
}

}  // namespace rankscope
