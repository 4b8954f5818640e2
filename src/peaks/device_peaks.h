// The peak rates of devices, as their vendors state them: dense, without sparsity. Used by agents
// and by analyses.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rankscope {

// The origin of a figure. All were copied from documents; none was measured.
enum class Confidence : std::uint8_t {
  kStated,   // the vendor's document states it, for one device and dense
  kHalved,   // the document states twice as much: with sparsity, or for both directions of a link
  kDerived,  // the document states it for several devices or dies together, or states other figures
             // from which it follows
  kUnsure,   // the vendor's documents differ, or it comes from another source
};
std::string_view ToString(Confidence confidence);  // "stated", ...

// A rate in FLOP/s, bytes/s or Hz; 0 = not stated, or not supported.
struct PeakRate {
  double value = 0;
  Confidence confidence = Confidence::kStated;
};

struct DevicePeaks {
  std::string_view pattern;  // words that only this device's name contains
  PeakRate matrix_16;        // fp16 and bf16 on matrix cores, with 32-bit sums
  PeakRate matrix_8;         // fp8
  PeakRate matrix_tf32;      // fp32 rounded to tf32; AMD: native fp32 on matrix cores
  PeakRate vector_32;        // fp32 without matrix cores
  PeakRate vector_64;        // fp64, the better of matrix cores and vector units
  PeakRate memory;           // device memory
  PeakRate link;             // all links of a device to others on its host, one direction
  std::string_view source;   // the vendor's document
  PeakRate clock = {};       // of the processors, for which these rates hold
};

// The compute and transfer rates by name, for a listing.
struct PeakCell {
  std::string_view name;  // "matrix_16", ...
  std::string_view unit;
  std::string_view doc;
  PeakRate DevicePeaks::*peak;
};
std::span<const PeakCell> PeakCells();

// The first entry whose pattern occurs in the name as whole words; null for a device that is not in
// the table.
const DevicePeaks* FindPeaks(std::string_view device_name);
std::span<const DevicePeaks> AllPeaks();

}  // namespace rankscope
