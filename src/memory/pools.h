// Sums over the segments at the end, grouped by the requests that can use them; and time slices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "memory/history.h"
#include "snapshot/snapshot.h"

namespace rankscope::memory {

// For segments of one stream, private pool and size class. All bytes except `requested` are rounded
// block sizes; reserved = requested + rounding + pending + split + idle_segments.
struct PoolSums {
  StringId type = kEmptyString;
  std::uint32_t stream = 0;
  std::int64_t pool[2] = {0, 0};
  std::int64_t segments = 0;
  std::int64_t reserved = 0;
  std::int64_t requested = 0;
  std::int64_t rounding = 0;
  std::int64_t pending = 0;
  std::int64_t split = 0;
  std::int64_t idle_segments = 0;
  std::int64_t free_blocks = 0;
  std::int64_t largest_free = 0;

  void Add(const snapshot::Segment& segment, const snapshot::Snapshot& snapshot);
  void Merge(const PoolSums& other);
};

// For a device, in the order of their first segment.
std::vector<PoolSums> PoolsOf(const snapshot::Snapshot& snapshot, std::int64_t device);

// A history in equal slices of its time; if it has no clock, of its events.
class Slices {
 public:
  Slices(const History& history, std::size_t count) : history_(history), count_(count) {
    const std::int64_t events = history.event_count();
    const std::int64_t last = events > 0 ? history.TimeNs(events - 1) : snapshot::kNoTime;
    has_clock_ = last != snapshot::kNoTime && last > 0;
    length_ = has_clock_ ? last + 1 : std::max<std::int64_t>(events, 1);
  }
  std::size_t Of(std::int64_t event) const {
    const std::int64_t time = has_clock_ ? history_.TimeNs(event) : event;
    const double share =
        static_cast<double>(std::max<std::int64_t>(time, 0)) / static_cast<double>(length_);
    return std::min(static_cast<std::size_t>(share * static_cast<double>(count_)), count_ - 1);
  }

 private:
  const History& history_;
  std::size_t count_;
  bool has_clock_ = false;
  std::int64_t length_ = 1;
};

}  // namespace rankscope::memory
