// The hardware's limit for reading trace JSON with simdjson: On-Demand over ready-cut chunks,
// reading 11 fields of every event and keeping nothing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::bench {

struct OnDemandResult {
  std::uint64_t events = 0;
  std::uint64_t fields = 0;
  bool ok = true;
};

// `chunks` are JSON arrays, each followed by at least 64 readable bytes that `sizes` does not
// count.
OnDemandResult ReadOnDemand(const std::vector<std::string>& chunks,
                            const std::vector<std::size_t>& sizes);

}  // namespace rankscope::bench
