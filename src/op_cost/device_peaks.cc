#include "op_cost/device_peaks.h"

#include <array>
#include <vector>

#include "device/flops.h"
#include "op_cost/op_inputs.h"

namespace rankscope {
namespace {

constexpr PeakRate RateOf(const device::PeakFigure& figure) {
  return {figure.value, static_cast<Confidence>(figure.confidence)};
}
static_assert(static_cast<int>(Confidence::kUnsure) ==
              static_cast<int>(device::PeakConfidence::kUnsure));

constexpr std::array kCells = {
    PeakCell{"matrix_16", "FLOP/s", "fp16 and bf16 on matrix cores, with 32-bit sums",
             &DevicePeaks::matrix_16},
    PeakCell{"matrix_8", "FLOP/s", "fp8 on matrix cores", &DevicePeaks::matrix_8},
    PeakCell{"matrix_tf32", "FLOP/s",
             "fp32 on matrix cores: NVIDIA's rounds to tf32, AMD's does not",
             &DevicePeaks::matrix_tf32},
    PeakCell{"vector_32", "FLOP/s", "fp32 without matrix cores", &DevicePeaks::vector_32},
    PeakCell{"vector_64", "FLOP/s", "fp64, with matrix cores where they can",
             &DevicePeaks::vector_64},
    PeakCell{"memory", "bytes/s", "bandwidth of the device's memory", &DevicePeaks::memory},
    PeakCell{"link", "bytes/s",
             "to the other devices of its host (NVLink, Infinity Fabric), in one direction",
             &DevicePeaks::link},
};

// The table is src/device's, which an agent has, too.
std::vector<DevicePeaks> Converted() {
  std::vector<DevicePeaks> all;
  for (const device::Peaks& one : device::AllPeaks()) {
    all.push_back({.pattern = one.pattern,
                   .matrix_16 = RateOf(one.matrix_16),
                   .matrix_8 = RateOf(one.matrix_8),
                   .matrix_tf32 = RateOf(one.matrix_tf32),
                   .vector_32 = RateOf(one.vector_32),
                   .vector_64 = RateOf(one.vector_64),
                   .memory = RateOf(one.memory),
                   .link = RateOf(one.link),
                   .source = one.source});
  }
  return all;
}

}  // namespace

std::string_view ToString(Confidence confidence) {
  return device::ToString(static_cast<device::PeakConfidence>(confidence));
}

std::span<const DevicePeaks> AllPeaks() {
  static const std::vector<DevicePeaks> kAll = Converted();
  return kAll;
}
std::span<const PeakCell> PeakCells() { return kCells; }

const DevicePeaks* FindPeaks(std::string_view device_name) {
  const device::Peaks* const found = device::FindPeaks(device_name);
  return found == nullptr
             ? nullptr
             : &AllPeaks()[static_cast<std::size_t>(found - device::AllPeaks().data())];
}

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
