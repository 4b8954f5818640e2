// What a device can do at most, and an estimate of what it does, from how busy its pipes are.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "device/device.h"

namespace rankscope::device {

// How a figure of the table was come by. All were copied by hand; none was measured.
enum class PeakConfidence : unsigned char {
  kStated,   // the maker's document has it, for one device and dense
  kHalved,   // the document has twice as much: with sparsity, or both directions of a link
  kDerived,  // the document has it for several devices or dies together, or for other figures that
             // it follows from
  kUnsure,   // the maker's documents differ, or it was taken from elsewhere
};
std::string_view ToString(PeakConfidence confidence);  // "stated", ...

// 0: not stated, or not supported.
struct PeakFigure {
  double value = 0;
  PeakConfidence confidence = PeakConfidence::kStated;
};

// Dense, without sparsity: FLOP/s, bytes/s and Hz.
struct Peaks {
  std::string_view pattern;  // words of the device's name that only it has
  PeakFigure matrix_16;      // fp16 and bf16 on matrix cores, with 32-bit sums
  PeakFigure matrix_8;       // fp8
  PeakFigure matrix_tf32;    // fp32 rounded to tf32; AMD: fp32 as it is on matrix cores
  PeakFigure vector_32;      // fp32 without matrix cores
  PeakFigure vector_64;      // fp64, the better of both
  PeakFigure memory;         // device memory
  PeakFigure link;           // all of a device's to the others of its host, one direction
  std::string_view source;   // the maker's document
  PeakFigure clock = {};     // of the processors, at which these hold
};
// What is more particular stands first.
std::span<const Peaks> AllPeaks();
// The first whose pattern stands in the name as whole words; null for a device that is not known.
const Peaks* FindPeaks(std::string_view device_name);

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
  const Peaks* peaks = nullptr;
};
std::optional<FlopsEstimate> EstimateFlops(const DeviceState& state);

}  // namespace rankscope::device
