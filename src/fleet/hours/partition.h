// Divides the time of all devices in a period, without a remainder.
//
// At every moment a node has devices x 700 units. Claims take theirs; if they ask for more than
// there is, each gets a proportional part, and that time is shared. The rest is down, reserved or
// unallocated, in this order. Sums are whole numbers of unit-milliseconds. Largest remainders
// convert them to milliseconds, so that the parts of a period sum exactly to its capacity.
//
// If device utilisation was recorded, it is reported in addition to the allocation, never instead.
// Unallocated devices are assumed idle: busy time belongs to the claims, up to their size; several
// claims on one node share it by their units.
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

// Device milliseconds for one value of `by`.
struct HoursOfValue {
  std::int64_t allocated_ms = 0;
  std::int64_t shared_ms = 0;  // part of it: more claims than devices
  std::int64_t failed_ms = 0;  // part of it: jobs that failed
  std::int64_t cancelled_ms = 0;
  std::int64_t use_known_ms = 0;  // part of it: utilisation was recorded
  std::int64_t busy_ms = 0;       // part of use_known_ms
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
  std::int64_t busy_unclaimed_ms = 0;  // not part of the sum: busy beyond the allocation
  std::map<std::optional<std::string>, HoursOfValue> values;  // nullopt: the claim does not have it
};

struct Partition {
  std::vector<HoursOfPeriod> periods;
  bool has_use = false;  // false: no utilisation is known
  // Nodes with recorded use but without devices.
  std::set<std::string> nodes_of_use_alone;
  // Device milliseconds of claims on nodes at times without a known capacity, and the nodes; not
  // part of any period.
  std::int64_t beyond_capacity_ms = 0;
  std::set<std::string> unknown_nodes;
};

// O(n log n) in the input about each node, times the number of concurrent claims on it. A node of
// use matches the node with its name, otherwise with its first label ("gpu1.cluster.local" is
// gpu1).
Partition DivideHours(const std::vector<Capacity>& capacity, const std::vector<Claim>& claims,
                      const std::vector<Absence>& absences, const std::vector<UseSeries>& use,
                      const PeriodSpec& period);

}  // namespace rankscope::fleet
