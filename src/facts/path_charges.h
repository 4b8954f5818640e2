// The critical path of a capture as charges: the owner of every instant of the recording.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "facts/trace_facts.h"
#include "graph/graph.h"
#include "graph/path_parts.h"

namespace rankscope {

enum class ChargeCause : std::uint8_t {
  kHost,           // a host thread works
  kDataLoading,    // of that, inside a data-loading range (device_time.h, IsDataLoading)
  kLaunch,         // a launch is on its way
  kKernelGap,      // between device work
  kCompute,        // kernels that compute
  kCommunication,  // kernels of collectives
  kCopy,           // copies and memsets
  kUnexplained,    // nothing that the trace shows
};
inline constexpr int kChargeCauseCount = 8;

std::string_view ToString(ChargeCause cause);  // "kernel gap"

struct Charge {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::uint32_t track = kNoTrack;  // as PathPart
  Row row = kNoRow;                // as PathPart
  ChargeCause cause = ChargeCause::kUnexplained;
};

// Those of TraceFacts::path.
std::vector<Charge> ChargesOf(const TraceFacts& facts);

// The host row of a charge: for device work and launches the launching call, for the host the row
// itself. kNoRow if there is none.
Row HostRowOf(const RankTrace& trace, const Charge& charge);

}  // namespace rankscope
