// An estimate of what a device computes, from how busy its pipes are.
#pragma once

#include <optional>

#include "device/device.h"
#include "peaks/device_peaks.h"

namespace rankscope::device {

// pipes = tensor_active x matrix_16 + fp32_active x vector_32 + fp64_active x vector_64, times
// sm_clock / clock where both are known. Pipes that are not counted are left out; without
// tensor_active, or the device's peaks, there is none.
//
// A pipe is busy in cycles in which it has work, be it of use or not, and what kind it is is not
// told: the estimate holds for fp16 and bf16, and no more than that work can have been done. Of
// tf32 it is twice, of fp8 half of what can have been done.
struct FlopsEstimate {
  double flops_per_s = 0;
  double ratio = 0;  // of matrix_16: MFU, were all of it of use
  const DevicePeaks* peaks = nullptr;
};
std::optional<FlopsEstimate> EstimateFlops(const DeviceState& state);

}  // namespace rankscope::device
