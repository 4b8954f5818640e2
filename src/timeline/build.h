// Builds a capture's timeline from its trace.
#pragma once

#include <cstdint>
#include <span>

#include "facts/trace_facts.h"
#include "timeline/rank_timeline.h"

namespace rankscope {

// A capture's part in a collective or a message (from the tables collective_members and
// point_to_point_members).
struct TimelineMember {
  static constexpr std::int64_t kUnknown = -1;
  std::uint32_t event = 0;    // its kernel: index in the file
  std::int64_t start_ns = 0;  // in the job's time
  std::int64_t wait_ns = kUnknown;
  bool knows_rest = true;  // true: the rest is transfer; false: it may be either
  bool is_last = false;
};

// A linear map from a rank's clock (nanoseconds since the epoch) to the job's time.
struct TimelineClock {
  std::int64_t anchor_ns = 0;  // on the rank's clock
  std::int64_t job_ns = 0;     // the same moment in the job's time
  double drift = 0;            // relative speed-up of the job's clock

  std::int64_t At(std::int64_t absolute_ns) const;
};

// The line through the first and the last of the capture's members. Without members, the job's
// clock is the rank's clock minus `offset_ns`. O(members log rows).
TimelineClock ClockOf(const RankTrace& trace, std::span<const TimelineMember> members,
                      std::int64_t origin_ns, std::int64_t offset_ns);

// `members` are sorted by event. A part of time or an event that begins while another one of its
// track is running gets its own lane, nested ones below their parents. O(rows x lanes).
RankTimeline BuildRankTimeline(const TraceFacts& facts, std::int64_t rank, std::int64_t capture,
                               const TimelineClock& clock, std::span<const TimelineMember> members);

}  // namespace rankscope
