// Roof: which of a device's peaks an op is measured against, and the time that it leaves.
#pragma once

#include <cstdint>
#include <string_view>

#include "peaks/device_peaks.h"

namespace rankscope {

// What is known about the kernels of ops of one kind.
struct UnitTimes {
  std::int64_t device_ns = 0;
  std::int64_t matrix_ns = 0;  // part of device_ns in kernels whose names say matrix cores
  std::int64_t vector_ns = 0;  // in those whose names say vector units
};

// The units that an op is measured against. Names decide where they cover half of the time. Where
// they do not, as with Triton's kernels, the dtype does: nothing but matrix cores is worth using
// for products of matrices of 16 or 8 bits (an op that runs elsewhere shows as a low efficiency,
// which is what it is), while products of 32 bits leave them alone unless told otherwise.
struct Units {
  bool are_matrix_cores = false;
  bool are_stated = true;  // false: by the dtype
};
Units UnitsOf(bool is_matrix_work, bool fits_matrix_cores, std::string_view dtype,
              const UnitTimes& times);

struct Roof {
  PeakRate flops;  // 0 when the peak is not known
  PeakRate memory;
};

// Time at the peak of one run, and what bounds it there.
struct RoofTime {
  double seconds = 0;
  bool is_compute_bound = false;
  Confidence confidence = Confidence::kStated;  // of the peak that bounds it
};
// False when the roof is not known. Where only the peak of computing is unknown, what is no matrix
// work (adding whole numbers) has the roof of memory alone.
bool TimeAtRoof(const Roof& roof, double flops, double bytes, bool is_matrix_work, RoofTime& time);

}  // namespace rankscope
