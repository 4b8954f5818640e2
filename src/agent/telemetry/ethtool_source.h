// Counters of network drivers beyond the kernel's: pause frames, discards, congestion.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/telemetry/sample.h"

namespace rankscope::agent {

using EthtoolStatistics = std::vector<std::pair<std::string, std::uint64_t>>;
// The statistics of a device. kNotFound: its driver has none.
using EthtoolRead = std::function<Result<EthtoolStatistics>(const std::string& device)>;

// The kernel's (SIOCETHTOOL): two or three calls for a device.
Result<EthtoolStatistics> ReadEthtool(const std::string& device);

// Those that show a delayed or lossy network: a driver has up to thousands, most of them per queue.
bool IsWorthTelling(std::string_view statistic);

// rankscope_network_statistic_total{device,statistic}, of devices that are hardware. At most
// kMostStatistics of each.
inline constexpr std::size_t kMostStatistics = 200;
Source EthtoolSource(EthtoolRead read);

}  // namespace rankscope::agent
