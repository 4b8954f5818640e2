// The history of one device: every allocation with its begin and end, and the level after each
// event.
//
// The allocator keeps the last events only, so levels are told backwards: what the segments hold at
// the end is certain, and what the history does not see begin existed before it. A free of what the
// history never saw allocated is of before, too. So the level at any time is the sum of the
// allocations that live then, to the byte.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "snapshot/snapshot.h"

namespace rankscope::memory {

inline constexpr std::int64_t kBefore = -1;  // the first event
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Numbers of events of the device: the allocation is active behind `begin` and before `end`.
struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::int64_t begin = kBefore;
  std::int64_t freed = kNever;  // by the program
  std::int64_t end = kNever;    // no stream uses it any more
  std::uint32_t stack = 0;
  StringId metadata = kEmptyString;
};

struct Levels {
  std::int64_t allocated = 0;
  std::int64_t active = 0;
  std::int64_t reserved = 0;
};

class History {
 public:
  History(const snapshot::Snapshot& snapshot, const snapshot::Device& device);

  const snapshot::Device& device() const { return device_; }
  std::int64_t event_count() const { return static_cast<std::int64_t>(device_.count); }
  const snapshot::Event& event(std::int64_t index) const {
    return snapshot_.events[device_.first + static_cast<std::uint64_t>(index)];
  }
  // Since the first event; kNoTime where there is no clock, and of kBefore and kNever.
  std::int64_t TimeNs(std::int64_t event) const;

  // In the order of their begin; those of before first.
  const std::vector<Allocation>& allocations() const { return allocations_; }
  const Levels& before() const { return before_; }
  // Applies an event to the levels before it.
  void Apply(std::int64_t index, Levels& levels) const;

  // The first event behind which most was active; kBefore where that is before all of them.
  std::int64_t peak_event() const { return peak_event_; }
  const Levels& peak() const { return peak_; }
  std::int64_t peak_reserved() const { return peak_reserved_; }
  const Levels& end() const { return end_; }
  bool IsActiveBehind(const Allocation& allocation, std::int64_t event) const {
    return allocation.begin <= event && event < allocation.end;
  }
  // See snapshot_summary.
  std::int64_t disagreeing_bytes() const { return disagreeing_bytes_; }
  // The bytes of an event that ends or gives back an allocation are that allocation's, whatever the
  // event says; 0 of an event that changes nothing.
  std::int64_t ChangeOf(std::int64_t index) const;

 private:
  void FindAllocations();
  void FindLevels();

  const snapshot::Snapshot& snapshot_;
  snapshot::Device device_;
  std::vector<Allocation> allocations_;
  // For each event the allocation that it begins, gives back or ends.
  std::vector<std::uint32_t> of_event_;
  // By the event that gives its address out again, what was never seen freed.
  boost::unordered_flat_map<std::int64_t, std::uint32_t> replaced_;
  Levels before_;
  Levels peak_;
  Levels end_;
  std::int64_t peak_event_ = kBefore;
  std::int64_t peak_reserved_ = 0;
  std::int64_t disagreeing_bytes_ = 0;
};

}  // namespace rankscope::memory
