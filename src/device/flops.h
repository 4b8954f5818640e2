// Estimates the FLOPs that a device computes, from the utilisation of its pipes.
#pragma once

#include <optional>

#include "device/device.h"
#include "peaks/device_peaks.h"

namespace rankscope::device {

// pipes = tensor_active x matrix_16 + fp32_active x vector_32 + fp64_active x vector_64, times
// sm_clock / clock if both are known. Pipes without counters are left out. Without tensor_active,
// or the device's peaks, there is no estimate.
//
// A pipe is busy in a cycle if it has any work, useful or not, and the counters do not tell the
// data type. So the estimate is an upper bound that holds for fp16 and bf16. For tf32 it is twice,
// for fp8 half of the possible FLOPs.
struct FlopsEstimate {
  double flops_per_s = 0;
  double ratio = 0;  // of matrix_16: the MFU if all work were useful
  const DevicePeaks* peaks = nullptr;
};
std::optional<FlopsEstimate> EstimateFlops(const DeviceState& state);

}  // namespace rankscope::device
