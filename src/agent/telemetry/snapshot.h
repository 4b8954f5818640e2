// Snapshot: the readings of a source at a moment, kept in memory for queries.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "agent/base/now.h"
#include "agent/telemetry/sample.h"

namespace rankscope::agent {

// Immutable.
struct Snapshot {
  std::string_view source;  // its name, which outlives it
  std::int64_t steady_ms = 0;
  std::int64_t unix_ms = 0;
  std::vector<Reading> readings;  // by name; of a name in the source's order. Empty: it is down

  // Those of one name. O(log readings).
  std::span<const Reading> Named(std::string_view name) const;
};

// Shared: readers keep one while the source is read again.
using Snapshots = std::vector<std::shared_ptr<const Snapshot>>;

std::shared_ptr<const Snapshot> MakeSnapshot(std::string_view source, std::vector<Reading> readings,
                                             Now now);

}  // namespace rankscope::agent
