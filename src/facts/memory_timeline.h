// The memory instants of a trace ("[memory]": PyTorch's profile_memory) by device, in time order,
// and its allocations with the instants that free them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/component.h"
#include "base/interval.h"
#include "table/table.h"
#include "trace/trace.h"

namespace rankscope {

// Its version is raised when the levels of the same events change.
inline constexpr Component kMemoryComponent{"memory"};

inline constexpr std::int64_t kUnknownBytes = -1;

// The data of one instant, and the level from it on.
struct MemoryEvent {
  std::int64_t t = 0;
  std::int64_t bytes = 0;                  // allocated, or negative: freed; 0 = not stated
  std::int64_t address = 0;                // 0 = not stated
  std::int64_t allocated = kUnknownBytes;  // stated, else the level before plus `bytes`
  std::int64_t reserved = kUnknownBytes;   // stated, else as before; never known of the host
  Row row = kNoRow;
};

// An allocation is live after `begin` + 1 .. `end` events of its device.
struct Allocation {
  static constexpr std::size_t kNever = SIZE_MAX;
  std::size_t begin = 0;     // index of its event
  std::size_t end = kNever;  // index of the event that ends it; kNever: live at the end
  bool IsLiveAfter(std::size_t events) const { return begin < events && end >= events; }
};

struct Peak {
  std::int64_t bytes = kUnknownBytes;
  std::int64_t t = 0;
  std::size_t events = 0;  // number of events up to its last one
};

struct MemoryDevice {
  std::int32_t type = -1;  // c10::DeviceType
  std::int32_t id = -1;
  std::vector<MemoryEvent> events;
  // From events with an address. If an address is allocated again without a recorded free, the
  // older allocation ends there. A free of an address that is not live ends nothing: its memory is
  // older than the recording.
  std::vector<Allocation> allocations;            // by begin
  std::int64_t allocated_before = kUnknownBytes;  // the level before the first event

  // The events [begin, end) in a piece of a window. A recording begins and ends with events that
  // have a duration: instants before or after belong to the first or last piece. O(log n).
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  Range EventsIn(Interval piece, const RankTrace& trace) const;
  // The host has no number.
  Value IdValue() const { return id < 0 ? Value(kNull) : Value(std::int64_t{id}); }
  std::int64_t AllocatedAfter(std::size_t count) const {
    return count == 0 ? allocated_before : events[count - 1].allocated;
  }
  std::int64_t ReservedAfter(std::size_t count) const {
    return count == 0 ? kUnknownBytes : events[count - 1].reserved;
  }
  // The highest level of allocated bytes in the intervals, and the first time at which it is
  // reached; bytes are kUnknownBytes if no level is known there.
  Peak PeakIn(const IntervalSet& intervals, const RankTrace& trace) const;
};

// By device type and id, at most the first 64; empty without memory instants. O(rows + instants log
// instants).
std::vector<MemoryDevice> MemoryDevicesOf(const RankTrace& trace);

// A level for a table: null when it is unknown.
inline Value BytesOrNull(std::int64_t level) { return level < 0 ? Value(kNull) : Value(level); }

// "cpu", "cuda", "hip", ..., "type 17"; "unknown" when it is not stated.
std::string DeviceTypeName(std::int32_t type);

}  // namespace rankscope
