// Which of a device's peaks bounds arithmetic of a dtype.
#pragma once

#include <string_view>

#include "peaks/device_peaks.h"

namespace rankscope {

// FLOP/s of a floating-point dtype ("float", "c10::BFloat16") on this device; 0 when not stated, as
// for whole numbers. `on_matrix_cores` chooses between them and the vector units.
PeakRate PeakFlops(const DevicePeaks& peaks, std::string_view dtype, bool on_matrix_cores);

}  // namespace rankscope
