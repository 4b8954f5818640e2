// How fast the device could do at most what a node does.
#pragma once

#include <vector>

#include "insight/base/rule_input.h"
#include "peaks/device_peaks.h"

namespace rankscope {

// By dense number of the rank its device's peaks; null where they are not known.
std::vector<const DevicePeaks*> PeaksOfRanks(const RuleInput& input);

// The larger of FLOPs at `flops_per_s` and bytes at the memory's bandwidth, in ns; 0: not known.
double RoofNs(const NodeKind& kind, const DevicePeaks& peaks, double flops_per_s);

}  // namespace rankscope
