#include "analysis/roofline/device_peaks.h"

#include <array>

#include "analysis/roofline/op_inputs.h"

namespace rankscope {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

// Names as drivers report them ("NVIDIA H100 80GB HBM3"); what is more particular stands first.
constexpr std::array kPeaks = {
    DevicePeaks{"GB200", 2500 * kTera, 5000 * kTera, 1250 * kTera, 80 * kTera, 40 * kTera,
                8000 * kGiga, "NVIDIA GB200 NVL72 data sheet, per GPU"},
    DevicePeaks{"B200", 2250 * kTera, 4500 * kTera, 1100 * kTera, 75 * kTera, 37 * kTera,
                8000 * kGiga, "NVIDIA DGX B200 data sheet, per GPU"},
    DevicePeaks{"GH200 480GB", 990 * kTera, 1979 * kTera, 494 * kTera, 67 * kTera, 67 * kTera,
                4000 * kGiga, "NVIDIA GH200 data sheet, HBM3"},
    DevicePeaks{"GH200", 990 * kTera, 1979 * kTera, 494 * kTera, 67 * kTera, 67 * kTera,
                4900 * kGiga, "NVIDIA GH200 data sheet, HBM3e"},
    DevicePeaks{"H200", 989 * kTera, 1979 * kTera, 494 * kTera, 67 * kTera, 67 * kTera,
                4800 * kGiga, "NVIDIA H200 data sheet, SXM"},
    DevicePeaks{"H100 PCIe", 756 * kTera, 1513 * kTera, 378 * kTera, 51 * kTera, 51 * kTera,
                2000 * kGiga, "NVIDIA H100 data sheet, PCIe"},
    DevicePeaks{"H100 NVL", 835 * kTera, 1671 * kTera, 418 * kTera, 60 * kTera, 60 * kTera,
                3900 * kGiga, "NVIDIA H100 data sheet, NVL"},
    DevicePeaks{"H100", 989 * kTera, 1979 * kTera, 494 * kTera, 67 * kTera, 67 * kTera,
                3350 * kGiga, "NVIDIA H100 data sheet, SXM"},
    DevicePeaks{"A100-SXM4-80GB", 312 * kTera, 0, 156 * kTera, 19.5 * kTera, 19.5 * kTera,
                2039 * kGiga, "NVIDIA A100 data sheet, 80 GB SXM"},
    DevicePeaks{"A100 80GB PCIe", 312 * kTera, 0, 156 * kTera, 19.5 * kTera, 19.5 * kTera,
                1935 * kGiga, "NVIDIA A100 data sheet, 80 GB PCIe"},
    DevicePeaks{"A100", 312 * kTera, 0, 156 * kTera, 19.5 * kTera, 19.5 * kTera, 1555 * kGiga,
                "NVIDIA A100 data sheet, 40 GB"},
    DevicePeaks{"L40S", 362 * kTera, 733 * kTera, 183 * kTera, 91.6 * kTera, 0, 864 * kGiga,
                "NVIDIA L40S data sheet"},
    DevicePeaks{"V100-SXM2", 125 * kTera, 0, 0, 15.7 * kTera, 7.8 * kTera, 900 * kGiga,
                "NVIDIA V100 data sheet, SXM2"},
    DevicePeaks{"V100", 112 * kTera, 0, 0, 14 * kTera, 7 * kTera, 900 * kGiga,
                "NVIDIA V100 data sheet, PCIe"},
    DevicePeaks{"Tesla T4", 65 * kTera, 0, 0, 8.1 * kTera, 0, 320 * kGiga, "NVIDIA T4 data sheet"},
    DevicePeaks{"MI300X", 1307.4 * kTera, 2614.9 * kTera, 163.4 * kTera, 163.4 * kTera,
                163.4 * kTera, 5300 * kGiga, "AMD Instinct MI300X data sheet"},
    DevicePeaks{"MI325X", 1307.4 * kTera, 2614.9 * kTera, 163.4 * kTera, 163.4 * kTera,
                163.4 * kTera, 6000 * kGiga, "AMD Instinct MI325X data sheet"},
    DevicePeaks{"MI250X", 191.5 * kTera, 0, 47.9 * kTera, 23.9 * kTera, 47.9 * kTera, 1638 * kGiga,
                "AMD Instinct MI250X data sheet, one of two dies"},
    DevicePeaks{"MI250", 181 * kTera, 0, 45.3 * kTera, 22.6 * kTera, 45.3 * kTera, 1638 * kGiga,
                "AMD Instinct MI250 data sheet, one of two dies"},
    DevicePeaks{"MI210", 181 * kTera, 0, 45.3 * kTera, 22.6 * kTera, 45.3 * kTera, 1638 * kGiga,
                "AMD Instinct MI210 data sheet"},
};

}  // namespace

std::span<const DevicePeaks> AllPeaks() { return kPeaks; }

const DevicePeaks* FindPeaks(std::string_view device_name) {
  for (const DevicePeaks& peaks : kPeaks) {
    if (device_name.find(peaks.pattern) != std::string_view::npos) return &peaks;
  }
  return nullptr;
}

double PeakFlops(const DevicePeaks& peaks, std::string_view dtype, bool on_matrix_cores) {
  const double bytes = BytesOfDtype(dtype).value_or(0);
  if (bytes == 8) return peaks.vector_64;
  if (bytes == 4) return on_matrix_cores ? peaks.matrix_tf32 : peaks.vector_32;
  // The vector units' rate for 16 bits is not stated everywhere; that of 32 bits is a floor of it.
  if (bytes == 2) return on_matrix_cores ? peaks.matrix_16 : peaks.vector_32;
  if (bytes == 1 && dtype.find("Float8") != std::string_view::npos) return peaks.matrix_8;
  return 0;
}

}  // namespace rankscope
