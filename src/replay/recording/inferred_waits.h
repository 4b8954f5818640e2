// Unrecorded waits, inferred from times.
//
// If device work begins long after its known predecessors, and directly after work of another
// stream, it waited for that work: traces may lack event records. If a synchronising call ends
// directly after device work, it waited for that work. Without such edges the waits would look like
// fixed gaps and work.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "replay/recording/node_partial.h"
#include "table/table.h"

namespace rankscope {

// Between two nodes of a recording, by their rows in NodePartial.
struct RowEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int32_t lag_ns = 0;
  DependencyKind kind = DependencyKind::kOrder;
};

// A longer wait after the known predecessors is unexplained; a begin within this time after an end
// is directly after it.
inline constexpr std::int64_t kUnexplainedWaitNs = 10'000;
inline constexpr std::int64_t kHandoverNs = 10'000;
// After communication, dependent computing may follow later: up to this time, and up to this part
// of the unexplained time.
inline constexpr std::int64_t kMostHandoverNs = 200'000;
inline constexpr std::int64_t kHandoverParts = 10;

// A thread that waits for another thread's exchange continues within this time after its end, and
// within half of the stretch; stretches shorter than kLeastHostWaitNs are ignored.
inline constexpr std::int64_t kHostHandoverNs = 1'000'000;
inline constexpr std::int64_t kLeastHostWaitNs = 100'000;

// Rows that first wait until this time.
using WaitedUntil = boost::unordered_flat_map<std::size_t, std::int64_t>;

// Adds edges. `nodes` are rows of NodePartial, with the `work` of each; every previous row comes
// before its row. Circular waits are left out: a call cannot wait for work that its thread launches
// later, even if both end in the same microsecond. `of_host_threads` are the rows of exchanges by
// host threads (gloo). O(n log n).
WaitedUntil InferWaits(ViewOf<NodePartial> nodes, std::span<const Work> work,
                       std::span<const std::uint32_t> of_host_threads, std::vector<RowEdge>& edges);

}  // namespace rankscope
