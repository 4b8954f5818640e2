// The history of one device: every allocation with its begin and end, and the memory level after
// each event.
//
// The allocator keeps only the last events, so levels are computed backwards: the segments' content
// at the end is certain, and an allocation whose begin is not in the history existed before it. The
// same holds if only its free is in the history. So the level at any time is exactly the sum of the
// live allocations.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "snapshot/snapshot.h"

namespace rankscope::memory {

inline constexpr std::int64_t kBefore = -1;  // before the first event
inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

// Event numbers of the device: the allocation is active after `begin` and before `end`.
struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::int64_t begin = kBefore;
  std::int64_t freed = kNever;  // by the program
  std::int64_t end = kNever;    // no stream uses it any longer
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
  // Since the first event; kNoTime if there is no clock, and for kBefore and kNever.
  std::int64_t TimeNs(std::int64_t event) const;

  // Sorted by begin; those from before the history come first.
  const std::vector<Allocation>& allocations() const { return allocations_; }
  const Levels& before() const { return before_; }
  // Applies an event to the levels before it.
  void Apply(std::int64_t index, Levels& levels) const;

  // The first event after which most was active; kBefore if that was before all events.
  std::int64_t peak_event() const { return peak_event_; }
  const Levels& peak() const { return peak_; }
  std::int64_t peak_reserved() const { return peak_reserved_; }
  const Levels& end() const { return end_; }
  bool IsActiveBehind(const Allocation& allocation, std::int64_t event) const {
    return allocation.begin <= event && event < allocation.end;
  }
  // See snapshot_summary.
  std::int64_t disagreeing_bytes() const { return disagreeing_bytes_; }
  // For an event that ends or frees an allocation: the bytes of that allocation, whatever the event
  // says; 0 for an event without a change.
  std::int64_t ChangeOf(std::int64_t index) const;

 private:
  void FindAllocations();
  void FindLevels();

  const snapshot::Snapshot& snapshot_;
  snapshot::Device device_;
  std::vector<Allocation> allocations_;
  // Per event: the allocation that it begins, frees or ends.
  std::vector<std::uint32_t> of_event_;
  // Allocations never seen freed, by the event that reuses their address.
  boost::unordered_flat_map<std::int64_t, std::uint32_t> replaced_;
  Levels before_;
  Levels peak_;
  Levels end_;
  std::int64_t peak_event_ = kBefore;
  std::int64_t peak_reserved_ = 0;
  std::int64_t disagreeing_bytes_ = 0;
};

}  // namespace rankscope::memory
