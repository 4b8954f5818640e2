// The minimum time of a node's work on its device.
#pragma once

#include <vector>

#include "insight/base/rule_input.h"
#include "peaks/device_peaks.h"

namespace rankscope {

// The peaks of a rank's device, by dense number; null if unknown.
std::vector<const DevicePeaks*> PeaksOfRanks(const RuleInput& input);

// The larger of FLOPs at `flops_per_s` and bytes at the memory's bandwidth, in ns; 0: not known.
double RoofNs(const NodeKind& kind, const DevicePeaks& peaks, double flops_per_s);

}  // namespace rankscope
