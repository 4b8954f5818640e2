// The time of all devices of a period, divided without remainder.
//
// In every moment a node has devices x 700 units. Claims take theirs; where they are more than
// there are, each takes its part of them and that time is shared. What is left is down, reserved or
// unallocated, in this order. Sums are whole numbers of unit-milliseconds, and become milliseconds
// by largest remainders, so that the parts of a period sum to its capacity exactly.
//
// Where it is recorded how busy a node's devices were, that is told beside what was allocated,
// never in its place. Devices that nobody has are taken for idle: what is busy is the claims', as
// far as they go, and of several on one node each has the part of its units.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/hours/claim.h"
#include "fleet/hours/use.h"

namespace rankscope::fleet {

enum class Every : std::uint8_t { kAll, kHour, kDay, kWeek };

struct PeriodSpec {
  std::int64_t from_ms = 0;
  std::int64_t until_ms = 0;
  Every every = Every::kAll;
  std::string by;  // a name of Claim::owner, "node" or "outcome"
};

// Device milliseconds of one value of `by`.
struct HoursOfValue {
  std::int64_t allocated_ms = 0;
  std::int64_t shared_ms = 0;  // part of it: there were more claims than devices
  std::int64_t failed_ms = 0;  // part of it: of jobs that failed
  std::int64_t cancelled_ms = 0;
  std::int64_t use_known_ms = 0;  // part of it: how busy devices were was recorded
  std::int64_t busy_ms = 0;       // part of that
  std::int64_t mixed_ms = 0;      // part of use_known_ms: with other claims on the node
  std::set<std::string> jobs;
};

struct HoursOfPeriod {
  std::int64_t from_ms = 0;
  std::int64_t until_ms = 0;
  std::int64_t capacity_ms = 0;  // = all allocated_ms + reserved_ms + down_ms + unallocated_ms
  std::int64_t reserved_ms = 0;
  std::int64_t down_ms = 0;
  std::int64_t unallocated_ms = 0;
  std::int64_t busy_unclaimed_ms = 0;  // part of none of these: busy beyond what was allocated
  std::map<std::optional<std::string>, HoursOfValue> values;  // nullopt: the claim does not say
};

struct Partition {
  std::vector<HoursOfPeriod> periods;
  bool has_use = false;  // else nothing is known of it
  // Nodes of which use is recorded, and that have no devices.
  std::set<std::string> nodes_of_use_alone;
  // Of claims on nodes at times for which no capacity is known, in device milliseconds, and on
  // which nodes: in no period.
  std::int64_t beyond_capacity_ms = 0;
  std::set<std::string> unknown_nodes;
};

// O(n log n) of everything that is said of each node, times what runs at once on it. A node of use
// is the one of that name, else of its first label ("gpu1.cluster.local" is gpu1).
Partition DivideHours(const std::vector<Capacity>& capacity, const std::vector<Claim>& claims,
                      const std::vector<Absence>& absences, const std::vector<UseSeries>& use,
                      const PeriodSpec& period);

}  // namespace rankscope::fleet
