#include "insight/evidence/kernels/roof.h"

#include <algorithm>

namespace rankscope {

std::vector<const DevicePeaks*> PeaksOfRanks(const RuleInput& input) {
  std::vector<const DevicePeaks*> peaks(input.ranks(), nullptr);
  for (const JobGraph::CaptureNodes& capture : input.graph().captures())
    peaks[capture.rank] = FindPeaks(input.job().captures[capture.capture].device_name);
  return peaks;
}

double RoofNs(const NodeKind& kind, const DevicePeaks& peaks, double flops_per_s) {
  constexpr double kNsPerSecond = 1e9;
  if (flops_per_s <= 0 || peaks.memory.value <= 0 || kind.flops < 0 || kind.bytes < 0) return 0;
  return kNsPerSecond * std::max(kind.flops / flops_per_s, kind.bytes / peaks.memory.value);
}

}  // namespace rankscope
