// Call trees of host threads: the frame of each row, and the owner of its time.
//
// Frames are rows chosen by the caller: ops, modules, Python functions. A frame or other row
// belongs to the innermost frame of its thread that is open when it begins. Some rows end after the
// enclosing row, because clocks are a tick off and programs end annotations out of order. Such a
// frame keeps its place and its extent. Every instant of a thread belongs to exactly one frame, the
// innermost open one: the one that began last. So
//   - no frame's self time is negative or longer than the frame;
//   - the self times of a thread sum to the union of the extents of its frames, which is the sum of
//     the extents of its roots where nothing ends after the frame around it.
// (Clipping frames to the enclosing one would also keep the second identity, but lose the time of a
// long frame that begins just before a short one ends.)
//
// One pass over the rows, without recursion: a thread may be a million levels deep.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

class FrameTree {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // is_frame(row) is called for the rows of host threads with a known duration. Frames are numbered
  // in the order of the rows, so a frame comes after the enclosing one. 4 bytes per row and 16 per
  // frame.
  template <typename IsFrame>
  FrameTree(const RankTrace& trace, IsFrame is_frame) : at_(trace.row_count(), kNone) {
    for (const Track& track : trace.tracks) {
      if (track.domain != Domain::kHost) continue;
      for (Row row = track.begin; row < track.end; ++row) {
        CloseUntil(trace, trace.ts_ns[row]);
        at_[row] = open_.empty() ? kNone : open_.back();
        if (trace.dur_ns[row] >= 0 && is_frame(row)) Open(trace, row);
      }
      CloseUntil(trace, INT64_MAX);
      told_ = INT64_MIN;
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(rows_.size()); }
  Row row(std::uint32_t frame) const { return rows_[frame]; }
  // The frame that encloses a frame, kNone for a root.
  std::uint32_t around(std::uint32_t frame) const { return around_[frame]; }
  std::int64_t self_ns(std::uint32_t frame) const { return self_ns_[frame]; }
  // The innermost frame that contains a row: the row itself if it is a frame; kNone if there is
  // none, and for rows that are not on a host thread.
  std::uint32_t at(Row row) const { return at_[row]; }

 private:
  void Open(const RankTrace& trace, Row row);
  // Closes the frames that end by then.
  void CloseUntil(const RankTrace& trace, std::int64_t t);
  void ChargeInnermostUntil(std::int64_t t);

  std::vector<std::uint32_t> at_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> around_;
  std::vector<std::int64_t> self_ns_;
  // Of the thread being read:
  std::vector<std::uint32_t> open_;
  std::int64_t told_ = INT64_MIN;  // all time before has its owner
};

// A group for each frame of a tree.
struct FrameGroups {
  std::vector<std::uint32_t> of_frame;
  std::uint32_t count = 0;
};

// For each frame, whether no enclosing frame is of the same group; groups are dense numbers, one
// per frame. Sums over these frames count recursive calls once. Linear.
std::vector<bool> OutermostOfGroup(const FrameTree& frames,
                                   const std::vector<std::uint32_t>& group_of,
                                   std::uint32_t group_count);

}  // namespace rankscope
