// A capture's timeline, made of its trace.
#pragma once

#include <cstdint>
#include <span>

#include "facts/trace_facts.h"
#include "timeline/rank_timeline.h"

namespace rankscope {

// What is known of a capture's part in a collective or a message (the tables collective_members and
// point_to_point_members).
struct TimelineMember {
  static constexpr std::int64_t kUnknown = -1;
  std::uint32_t event = 0;    // of its kernel: index in the file
  std::int64_t start_ns = 0;  // in the job's time
  std::int64_t wait_ns = kUnknown;
  bool knows_rest = true;  // what is not waiting transfers; else it may be either
  bool is_last = false;
};

// From a rank's clock (nanoseconds since the epoch) to the job's time: a line.
struct TimelineClock {
  std::int64_t anchor_ns = 0;  // by the rank's clock
  std::int64_t job_ns = 0;     // the same moment in the job's time
  double drift = 0;            // how much faster the job's clock runs

  std::int64_t At(std::int64_t absolute_ns) const;
};

// The line through the first and the last of the capture's members; without any, the rank's clock
// less `offset_ns` is the job's. O(members log rows).
TimelineClock ClockOf(const RankTrace& trace, std::span<const TimelineMember> members,
                      std::int64_t origin_ns, std::int64_t offset_ns);

// `members` are by event. A part of time or an event that begins earlier than another one still
// runs in the same track gets a lane of its own, nested ones below their parents. O(rows x lanes).
RankTimeline BuildRankTimeline(const TraceFacts& facts, std::int64_t rank, std::int64_t capture,
                               const TimelineClock& clock, std::span<const TimelineMember> members);

}  // namespace rankscope
