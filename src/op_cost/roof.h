// Roof: the device peaks that an op is measured against, and the least time at these peaks.
#pragma once

#include <cstdint>
#include <string_view>

#include "peaks/device_peaks.h"

namespace rankscope {

// What is known about the kernels of one kind of op.
struct UnitTimes {
  std::int64_t device_ns = 0;
  std::int64_t matrix_ns = 0;  // part of device_ns in kernels whose names indicate matrix cores
  std::int64_t vector_ns = 0;  // in kernels whose names indicate vector units
};

// The units that an op is measured against. Kernel names decide if they cover half of the time. If
// not, as with Triton's kernels, the dtype decides. For matrix products in 16 or 8 bits only matrix
// cores are reasonable (an op that runs elsewhere rightly shows a low efficiency). For matrix
// products in 32 bits the vector units are assumed, since matrix cores are used for these only on
// request.
struct Units {
  bool are_matrix_cores = false;
  bool are_stated = true;  // false: derived from the dtype
};
Units UnitsOf(bool is_matrix_work, bool fits_matrix_cores, std::string_view dtype,
              const UnitTimes& times);

struct Roof {
  PeakRate flops;  // 0 if the peak is unknown
  PeakRate memory;
};

// Time of one run at the peak, and the bound that applies.
struct RoofTime {
  double seconds = 0;
  bool is_compute_bound = false;
  Confidence confidence = Confidence::kStated;  // of the peak that applies
};
// False if the roof is unknown. If only the compute peak is unknown, work that is not matrix work
// (integer addition, for example) uses the memory roof alone.
bool TimeAtRoof(const Roof& roof, double flops, double bytes, bool is_matrix_work, RoofTime& time);

}  // namespace rankscope
