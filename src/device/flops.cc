#include "device/flops.h"

namespace rankscope::device {

std::optional<FlopsEstimate> EstimateFlops(const DeviceState& state) {
  const DevicePeaks* const peaks = FindPeaks(state.name);
  if (peaks == nullptr || peaks->matrix_16.value == 0 || !state.tensor_active) return std::nullopt;
  double flops = *state.tensor_active * peaks->matrix_16.value;
  flops += state.fp32_active.value_or(0) * peaks->vector_32.value;
  flops += state.fp64_active.value_or(0) * peaks->vector_64.value;
  if (state.sm_clock_hz && peaks->clock.value > 0) flops *= *state.sm_clock_hz / peaks->clock.value;
  return FlopsEstimate{flops, flops / peaks->matrix_16.value, peaks};
}

}  // namespace rankscope::device
