// The share of the bandwidth of a host's device links that transfers reach.
#pragma once

#include <cstdint>
#include <optional>

#include "insight/evidence/communication/exchanges.h"
#include "peaks/device_peaks.h"

namespace rankscope {

// Larger transfers are decided by bandwidth, not by latency.
inline constexpr std::int64_t kLargeTransferBytes = 16'000'000;
// NCCL reaches 0.6 to 0.9 of it where NVLink is used, 0.05 over PCIe.
inline constexpr double kUsualLinkUse = 0.6;
inline constexpr double kLowLinkUse = 0.15;

// The sum of several transfers.
class LinkUse {
 public:
  // From a device to the others of its host, in bytes/s, one direction; nullopt: unknown for one of
  // the ranks.
  static std::optional<double> PeakOf(const std::vector<const DevicePeaks*>& peaks,
                                      const Exchange& exchange);

  // Traffic as in nccl-tests (BusFactor). No effect if the size is unknown.
  void Add(const Exchange& exchange);

  bool empty() const { return ns_ <= 0; }
  double BusBandwidth() const;  // bytes/s; not of empty ones

 private:
  double bytes_ = 0;  // over the busiest link
  double ns_ = 0;
};

}  // namespace rankscope
