// The limit for reading trace JSON with simdjson: its On-Demand API over ready-cut chunks, reading
// fields and keeping nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::bench {

enum class Fields {
  kEleven,  // ph, cat, name, pid, tid, ts, dur; correlation, External id, stream, device: the least
            // that a reader needs
  kSame,    // every field that the Kineto reader keeps
};

struct OnDemandResult {
  std::uint64_t events = 0;
  double sum = 0;  // of what was read, so that nothing can be left out
  bool ok = true;
};

// Strings are unescaped, times read as doubles, integers as int64, lists as their text: each by
// simdjson's own function. `chunks` are JSON arrays, each followed by at least 64 readable bytes
// that `sizes` does not count.
OnDemandResult ReadOnDemand(const std::vector<std::string>& chunks,
                            const std::vector<std::size_t>& sizes, Fields fields);

}  // namespace rankscope::bench
