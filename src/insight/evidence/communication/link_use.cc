#include "insight/evidence/communication/link_use.h"

#include <algorithm>

namespace rankscope {

std::optional<double> LinkUse::PeakOf(const std::vector<const DevicePeaks*>& peaks,
                                      const Exchange& exchange) {
  std::optional<double> least;
  for (const std::uint32_t rank : exchange.ranks) {
    if (peaks[rank] == nullptr || peaks[rank]->link.value <= 0) return std::nullopt;
    least = std::min(least.value_or(peaks[rank]->link.value), peaks[rank]->link.value);
  }
  return least;
}

void LinkUse::Add(const Exchange& exchange) {
  if (exchange.bytes <= 0 || exchange.transfer_ns <= 0) return;
  bytes_ += static_cast<double>(exchange.bytes) *
            BusFactor(exchange.op, static_cast<std::int64_t>(exchange.ranks.size()));
  ns_ += static_cast<double>(exchange.transfer_ns);
}

double LinkUse::BusBandwidth() const { return 1e9 * bytes_ / ns_; }

}  // namespace rankscope
