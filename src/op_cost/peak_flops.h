// Selects the device peak that bounds arithmetic in a dtype.
#pragma once

#include <string_view>

#include "peaks/device_peaks.h"

namespace rankscope {

// FLOP/s for a floating-point dtype ("float", "c10::BFloat16") on this device; 0 if not stated, as
// for integers. `on_matrix_cores` selects matrix cores or the vector units.
PeakRate PeakFlops(const DevicePeaks& peaks, std::string_view dtype, bool on_matrix_cores);

}  // namespace rankscope
