// Links between ranks in a timeline: collectives with their members, and the critical path through
// all ranks. In the job's time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace rankscope {

// A member of a collective: when it arrived, and how long it waited for the last member.
struct TimelineArrival {
  static constexpr std::int64_t kUnknownWait = -1;
  std::int64_t rank = 0;
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t wait_ns = kUnknownWait;
  std::uint32_t event = 0;  // index in its file
  bool is_last = false;     // false for all if the clocks are too inexact
  friend bool operator==(const TimelineArrival&, const TimelineArrival&) = default;
};

struct TimelineCollective {
  std::string name;
  std::vector<TimelineArrival> arrivals;  // not empty

  std::int64_t begin_ns() const;  // of the first member
  std::int64_t end_ns() const;    // of the last
  std::int64_t wait_ns() const;   // over all members; unknown waits count as 0
  friend bool operator==(const TimelineCollective&, const TimelineCollective&) = default;
};

// A piece of the path; or several that are too short to distinguish: rank, part and name are then
// those of the longest.
struct TimelinePathPiece {
  std::int64_t start_ns = 0;
  std::int64_t duration_ns = 0;
  std::int64_t rank = 0;
  std::string part;
  std::string name;
  std::int64_t event = -1;  // -1: unknown
  std::uint32_t count = 1;
  friend bool operator==(const TimelinePathPiece&, const TimelinePathPiece&) = default;
};

std::string ToBytes(std::span<const TimelineCollective> collectives);
Result<std::vector<TimelineCollective>> CollectivesFromBytes(std::string_view bytes);
std::string ToBytes(std::span<const TimelinePathPiece> pieces);
Result<std::vector<TimelinePathPiece>> PathFromBytes(std::string_view bytes);

// Merges neighbours shorter than the resolution, up to that length. `pieces` are contiguous.
std::vector<TimelinePathPiece> MergePath(std::span<const TimelinePathPiece> pieces,
                                         std::int64_t resolution_ns);

}  // namespace rankscope
