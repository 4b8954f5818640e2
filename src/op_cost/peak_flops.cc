#include "op_cost/peak_flops.h"

#include "op_cost/base/op_inputs.h"

namespace rankscope {

PeakRate PeakFlops(const DevicePeaks& peaks, std::string_view dtype, bool on_matrix_cores) {
  if (!IsFloatingPoint(dtype)) return {};
  const double bytes = BytesOfDtype(dtype).value_or(0);
  if (bytes == 8) return peaks.vector_64;
  if (bytes == 4) return on_matrix_cores ? peaks.matrix_tf32 : peaks.vector_32;
  // The vector units' rate for 16 bits is not stated everywhere; that of 32 bits is a floor of it.
  if (bytes == 2) return on_matrix_cores ? peaks.matrix_16 : peaks.vector_32;
  // Nothing but matrix cores computes with 8 bits.
  if (bytes == 1) return peaks.matrix_8;
  return {};
}

}  // namespace rankscope
