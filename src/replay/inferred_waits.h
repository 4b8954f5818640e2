// Waits that a recording does not state, inferred from its times.
//
// Device work that begins long after all it is known to wait for, and right behind work of another
// stream, waited for that: traces may lack the records of events. A synchronising call that ends
// right behind device work waited for that. Without such edges the waits would look like gaps and
// work that nothing shortens.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "graph/graph.h"
#include "replay/node_partial.h"
#include "table/table.h"

namespace rankscope {

// Between two nodes of a recording, by their rows in NodePartial.
struct RowEdge {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::int32_t lag_ns = 0;
  DependencyKind kind = DependencyKind::kOrder;
};

// More than that after all that is known is unexplained, and within that behind an end is right
// behind it.
inline constexpr std::int64_t kUnexplainedWaitNs = 10'000;
inline constexpr std::int64_t kHandoverNs = 10'000;
// Behind communication, which the computing that needs it follows later: up to so much, and this
// part of the time for which nothing else stands.
inline constexpr std::int64_t kMostHandoverNs = 200'000;
inline constexpr std::int64_t kHandoverParts = 10;

// A thread that waits for another one's exchange goes on within that time behind its end, which is
// half of the stretch at most; a shorter stretch than kLeastHostWaitNs is not looked at.
inline constexpr std::int64_t kHostHandoverNs = 1'000'000;
inline constexpr std::int64_t kLeastHostWaitNs = 100'000;

// Rows that wait until then before they do anything.
using WaitedUntil = boost::unordered_flat_map<std::size_t, std::int64_t>;

// Adds edges; `nodes` are of NodePartial, with `work` of each; every previous stands before its
// row. A wait that would wait for itself is left out: a call cannot have waited for what its thread
// launches behind it, though both may end in the same microsecond. `of_host_threads` are the rows
// of exchanges that threads of the host carry out (gloo). O(n log n).
WaitedUntil InferWaits(ViewOf<NodePartial> nodes, std::span<const Work> work,
                       std::span<const std::uint32_t> of_host_threads, std::vector<RowEdge>& edges);

}  // namespace rankscope
