// What devices can do at most, as their vendors state it: dense, without sparsity. For agents and
// analyses alike.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rankscope {

// How a figure of the table was come by. All were copied by hand; none was measured.
enum class Confidence : std::uint8_t {
  kStated,   // the vendor's document has it, for one device and dense
  kHalved,   // the document has twice as much: with sparsity, or both directions of a link
  kDerived,  // the document has it for several devices or dies together, or for other figures that
             // it follows from
  kUnsure,   // the vendor's documents differ, or it was taken from elsewhere
};
std::string_view ToString(Confidence confidence);  // "stated", ...

// A rate in FLOP/s, bytes/s or Hz; 0 = not stated, or not supported.
struct PeakRate {
  double value = 0;
  Confidence confidence = Confidence::kStated;
};

struct DevicePeaks {
  std::string_view pattern;  // words of the device's name that only it has
  PeakRate matrix_16;        // fp16 and bf16 on matrix cores, with 32-bit sums
  PeakRate matrix_8;         // fp8
  PeakRate matrix_tf32;      // fp32 rounded to tf32; AMD: fp32 as it is on matrix cores
  PeakRate vector_32;        // fp32 without matrix cores
  PeakRate vector_64;        // fp64, the better of both
  PeakRate memory;           // device memory
  PeakRate link;             // all of a device's to the others of its host, one direction
  std::string_view source;   // the vendor's document
  PeakRate clock = {};       // of the processors, at which these hold
};

// The rates of work and of moving data by name, for a listing.
struct PeakCell {
  std::string_view name;  // "matrix_16", ...
  std::string_view unit;
  std::string_view doc;
  PeakRate DevicePeaks::*peak;
};
std::span<const PeakCell> PeakCells();

// The first entry whose pattern stands in the name as whole words; null for a device that the table
// does not have.
const DevicePeaks* FindPeaks(std::string_view device_name);
std::span<const DevicePeaks> AllPeaks();

}  // namespace rankscope
