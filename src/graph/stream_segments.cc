#include "graph/stream_segments.h"

#include "graph/stream_order.h"

namespace rankscope {
namespace {

class StreamSegments {
 public:
  StreamSegments(const RankTrace& trace, const DeviceWaits& waits,
                 const std::function<bool(Row)>& is_collective, Contraction contraction,
                 GraphDraft& draft)
      : trace_(trace),
        waits_(waits),
        is_collective_(is_collective),
        contracts_(contraction == Contraction::kBetweenDependencies),
        draft_(draft) {}

  void Add() {
    const std::vector<Row> predecessor = StreamPredecessors(trace_);
    std::vector<std::uint8_t> begins(trace_.row_count(), 0);  // a segment
    std::vector<std::uint8_t> ends(trace_.row_count(), 0);
    for (const StreamWait& wait : waits_.stream) {
      ends[wait.from] = 1;
      begins[wait.to] = 1;
      draft_.edges.push_back({.from_row = wait.from,
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
        draft_.launched[row] =
            has_launch && (before == kNoRow || trace_.link[row] != trace_.link[before]);
        if (draft_.launched[row] != 0) begins[row] = 1;
        before = row;
      }
    }
    for (std::uint32_t index = 0; index < trace_.tracks.size(); ++index) {
      if (trace_.tracks[index].domain == Domain::kDevice)
        AddStream(index, predecessor, begins, ends);
    }
  }

 private:
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
        Segment& segment = draft_.segments.back();
        segment.end_ns = trace_.end_ns(row);
        ++segment.row_count;
      } else {
        draft_.segments.push_back(
            {.begin_ns = trace_.ts_ns[row],
             .end_ns = trace_.end_ns(row),
             .track = index,
             .first_row = row,
             .row_count = 1,
             .previous = earlier == kNoRow ? kNoSegment : draft_.segment_of_row[earlier]});
        if (collective) draft_.collectives.push_back(draft_.size() - 1);
      }
      draft_.segment_of_row[row] = draft_.size() - 1;
      before = row;
      before_is_collective = collective;
    }
  }

  const RankTrace& trace_;
  const DeviceWaits& waits_;
  const std::function<bool(Row)>& is_collective_;
  bool contracts_;
  GraphDraft& draft_;
};

}  // namespace

void AddStreamSegments(const RankTrace& trace, const DeviceWaits& waits,
                       const std::function<bool(Row)>& is_collective, Contraction contraction,
                       GraphDraft& draft) {
  StreamSegments(trace, waits, is_collective, contraction, draft).Add();
}

}  // namespace rankscope
