// Builds the dependency graph of a trace.
#pragma once

#include <cstdint>
#include <functional>

#include "graph/graph.h"
#include "trace/trace.h"

namespace rankscope {

enum class Contraction : std::uint8_t {
  kBetweenDependencies,  // work of a stream connected only by its order is one segment
  kNone                  // each work is a separate segment: the same paths and slacks, for tests
};

enum class Streams : std::uint8_t {
  kAll,
  kNone  // only the host: too little is known about the devices
};

// is_collective(row) is called once per kernel. O(rows log rows) time; 32 bytes per segment and 16
// per dependency stay, about twice the launches and once the waits. While building 12 bytes per row
// and about 100 per launch.
DependencyGraph BuildGraph(const RankTrace& trace, const std::function<bool(Row)>& is_collective,
                           Contraction contraction = Contraction::kBetweenDependencies,
                           Streams streams = Streams::kAll);

}  // namespace rankscope
