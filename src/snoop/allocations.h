// Allocations: what was allocated, freed and is live, computed from the events of the probes. It
// uses no clock and no kernel: the same events give the same result everywhere.
//
// Only calls that returned success count as allocations, not those that failed or threw. A free of
// memory that was allocated before the window is counted but changes nothing else, so that no
// number falls below zero. Bytes are the requested bytes. All numbers are per level and per kind of
// memory; never add them up across levels or kinds.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "snoop/calls.h"
#include "snoop/timeline.h"

namespace rankscope::snoop {

struct Live {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t stack = 0;
  std::int64_t time_ns = 0;  // CLOCK_MONOTONIC
  std::uint32_t thread = 0;
  std::uint32_t call = 0;
};

// For one level and kind of memory, in the window.
struct MemoryTotals {
  std::uint64_t allocated = 0, allocated_bytes = 0;
  std::uint64_t freed = 0, freed_bytes = 0;        // of these allocations
  std::uint64_t unknown_frees = 0;                 // of memory allocated before the window
  std::uint64_t replaced = 0, replaced_bytes = 0;  // address reused: the free was missed
  std::uint64_t live_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::int64_t peak_ns = 0;
  bool seen = false;
};

// For one call and stack.
struct AllocationSum {
  std::uint64_t count = 0, bytes = 0;
  std::uint64_t failed = 0, failed_bytes = 0;
  std::map<std::int32_t, std::uint64_t> errors;  // count by returned status
};

class Allocations {
 public:
  struct Domain {
    Level level = Level::kRuntime;
    Where where = Where::kDevice;
    auto operator<=>(const Domain&) const = default;
  };
  struct Site {
    std::uint32_t call = 0;
    std::uint64_t stack = 0;
    auto operator<=>(const Site&) const = default;
  };

  // `calls` must outlive it. Begin and length of the window are for the timelines.
  Allocations(std::span<const Call> calls, std::int64_t begin_ns, std::int64_t length_ns)
      : calls_(calls), begin_ns_(begin_ns), length_ns_(length_ns) {}

  // Call in the order of the ring. O(1) on average; 100 bytes per live allocation.
  void Add(const Event& event);

  const std::map<Domain, MemoryTotals>& totals() const { return totals_; }
  const std::map<Domain, Timeline>& timelines() const { return timelines_; }
  const std::map<Site, AllocationSum>& sites() const { return sites_; }
  Domain DomainOf(std::uint32_t call) const;
  // Allocations of the window that were not freed in it, by time.
  std::vector<Live> LiveNow() const;

 private:
  struct Key {
    std::uint64_t address;
    Level level;
    bool is_handle;
    bool operator==(const Key&) const = default;
  };
  struct HashOfKey {
    std::size_t operator()(const Key& key) const {
      return (key.address * 8 + static_cast<std::size_t>(key.level) * 2 + (key.is_handle ? 1 : 0)) *
             0x9E3779B97F4A7C15ULL;
    }
  };

  void Allocate(const Event& event);
  void Free(const Event& event);
  void Changed(const Domain& domain, std::int64_t time_ns);

  const std::span<const Call> calls_;
  const std::int64_t begin_ns_, length_ns_;
  std::unordered_map<Key, Live, HashOfKey> live_;
  std::map<Domain, MemoryTotals> totals_;
  std::map<Domain, Timeline> timelines_;
  std::map<Site, AllocationSum> sites_;
};

}  // namespace rankscope::snoop
