// What devices can do at most, as their vendors state it: dense, without sparsity.
#pragma once

#include <span>
#include <string_view>

namespace rankscope {

// Rates in FLOP/s and bytes/s; 0 = not stated, or not supported.
struct DevicePeaks {
  std::string_view pattern;  // part of the device's name that only it has
  double matrix_16 = 0;      // fp16 and bf16 on matrix cores, with 32-bit sums
  double matrix_8 = 0;       // fp8
  double matrix_tf32 = 0;    // fp32 rounded to tf32; AMD: fp32 as it is on matrix cores
  double vector_32 = 0;      // fp32 without matrix cores
  double vector_64 = 0;      // fp64, the better of both
  double memory = 0;         // device memory
  std::string_view source;   // the vendor's document
};

// The first entry whose pattern is part of the name; null for a device that the table does not
// have.
const DevicePeaks* FindPeaks(std::string_view device_name);
std::span<const DevicePeaks> AllPeaks();

// FLOP/s of a dtype ("float", "c10::BFloat16") on this device; 0 when not stated. `on_matrix_cores`
// chooses between them and the vector units.
double PeakFlops(const DevicePeaks& peaks, std::string_view dtype, bool on_matrix_cores);

}  // namespace rankscope
