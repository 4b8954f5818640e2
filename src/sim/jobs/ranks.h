// Lists of ranks.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/model/gpu.h"
#include "sim/model/network.h"

namespace rankscope::sim {

// first, first + stride, ...: `count` of them.
inline std::vector<std::int64_t> RanksFrom(int first, int count, int stride = 1) {
  std::vector<std::int64_t> ranks;
  for (int i = 0; i < count; ++i) ranks.push_back(first + i * stride);
  return ranks;
}

// The reach of such ranks: how far apart they lie.
inline Reach ReachOf(int count, int stride = 1) {
  const int span = (count - 1) * stride + 1;
  const int hosts =
      stride >= kDevicesPerHost ? count : (span + kDevicesPerHost - 1) / kDevicesPerHost;
  return {.members = count, .hosts = hosts};
}

}  // namespace rankscope::sim
