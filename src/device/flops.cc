#include "device/flops.h"

#include <array>
#include <cctype>

namespace rankscope::device {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

constexpr PeakFigure Stated(double tera) { return {tera * kTera, PeakConfidence::kStated}; }
constexpr PeakFigure Halved(double tera) { return {tera * kTera, PeakConfidence::kHalved}; }
constexpr PeakFigure Derived(double tera) { return {tera * kTera, PeakConfidence::kDerived}; }
constexpr PeakFigure Unsure(double tera) { return {tera * kTera, PeakConfidence::kUnsure}; }
constexpr PeakFigure kNone = {};

// Of a figure that counts both directions.
constexpr PeakFigure Link(double both_giga, PeakConfidence confidence = PeakConfidence::kHalved) {
  return {both_giga / 2 * kGiga, confidence};
}

constexpr PeakFigure Memory(double giga, PeakConfidence confidence = PeakConfidence::kStated) {
  return {giga * kGiga, confidence};
}

// In MHz.
constexpr PeakFigure Clock(double mega, PeakConfidence confidence = PeakConfidence::kStated) {
  return {mega * 1e6, confidence};
}

constexpr std::string_view kOfReports =
    "public reports of what was cut down; else the H100's, A100's";

// Names as drivers and Kineto's deviceProperties have them ("NVIDIA H100 80GB HBM3"); what is more
// particular stands first.
// Per device: 16 bits, 8 bits, tf32 on matrix cores; fp32 and fp64; memory; link. TFLOP/s and GB/s.
// A clock that is derived is matrix_16 over processors (132) and what each does in a cycle (4096).
// Cards on PCIe have no link of their own unless a bridge joins two, which no trace says; what
// Grace Hopper's has is to its processor.
constexpr std::array kPeaks = {
    // Blackwell Ultra: half of the figures with sparsity; 64 bits are next to none.
    Peaks{"GB300", Halved(2500), Halved(5000), Halved(1250), Stated(80), Stated(1.3), Memory(8000),
          Link(1800), "NVIDIA Blackwell Ultra data sheet, GB300 NVL72"},
    // A device's share of eight. Documents have from 7.7 to 8 TB/s.
    Peaks{"B300", Halved(2250), Halved(4500), Halved(1125), Derived(75), Derived(1.25),
          Memory(8000, PeakConfidence::kUnsure), Link(1800),
          "NVIDIA Blackwell Ultra data sheet, HGX B300"},
    // Half of the figures with sparsity, which the sheet has per GPU.
    Peaks{"GB200", Halved(2500), Halved(5000), Halved(1250), Stated(80), Stated(40), Memory(8000),
          Link(1800), "NVIDIA Blackwell data sheet, GB200 NVL72"},
    // Other documents say 80 for fp32, 40 for fp64, and 7.7 TB/s.
    Peaks{"B200", Halved(2250), Halved(4500), Halved(1100), Unsure(75), Unsure(37),
          Memory(8000, PeakConfidence::kUnsure), Link(1800),
          "NVIDIA Blackwell data sheet, HGX B200; memory: DGX B200"},
    Peaks{"GH200 480GB", Halved(990), Halved(1979), Halved(494), Stated(67), Stated(67),
          Memory(4000), kNone, "NVIDIA GH200 data sheet, HBM3"},
    Peaks{"GH200", Halved(990), Halved(1979), Halved(494), Stated(67), Stated(67), Memory(4900),
          kNone, "NVIDIA GH200 data sheet, HBM3e"},
    Peaks{"H200 NVL", Halved(835), Halved(1671), Halved(418), Stated(60), Stated(60), Memory(4800),
          kNone, "NVIDIA H200 data sheet, NVL"},
    Peaks{"H200", Halved(989), Halved(1979), Halved(494), Stated(67), Stated(67), Memory(4800),
          Link(900), "NVIDIA H200 data sheet, SXM", Clock(1830, PeakConfidence::kDerived)},
    Peaks{"H100 PCIe", Halved(756), Halved(1513), Halved(378), Stated(51), Stated(51), Memory(2000),
          kNone, "NVIDIA H100 data sheet, PCIe"},
    Peaks{"H100 NVL", Halved(835), Halved(1671), Halved(418), Stated(60), Stated(60), Memory(3900),
          kNone, "NVIDIA H100 data sheet, NVL"},
    Peaks{"H100", Halved(989), Halved(1979), Halved(494), Stated(67), Stated(67), Memory(3350),
          Link(900), "NVIDIA H100 data sheet, SXM", Clock(1830, PeakConfidence::kDerived)},
    // The H100 and the A100 for China: less link and, of the H800, less fp64.
    Peaks{"H800 PCIe", Unsure(756), Unsure(1513), Unsure(378), Unsure(51), Unsure(1),
          Memory(2000, PeakConfidence::kUnsure), kNone, kOfReports},
    Peaks{"H800", Unsure(989), Unsure(1979), Unsure(494), Unsure(67), Unsure(1),
          Memory(3350, PeakConfidence::kUnsure), Link(400, PeakConfidence::kUnsure), kOfReports},
    Peaks{"H20-3e", Unsure(148), Unsure(296), Unsure(74), Unsure(44), Unsure(1),
          Memory(4800, PeakConfidence::kUnsure), Link(900, PeakConfidence::kUnsure), kOfReports},
    Peaks{"H20", Unsure(148), Unsure(296), Unsure(74), Unsure(44), Unsure(1),
          Memory(4000, PeakConfidence::kUnsure), Link(900, PeakConfidence::kUnsure), kOfReports},
    Peaks{"A800-SXM4-80GB", Unsure(312), kNone, Unsure(156), Unsure(19.5), Unsure(19.5),
          Memory(2039, PeakConfidence::kUnsure), Link(400, PeakConfidence::kUnsure), kOfReports},
    Peaks{"A100-SXM4-80GB", Stated(312), kNone, Stated(156), Stated(19.5), Stated(19.5),
          Memory(2039), Link(600), "NVIDIA A100 data sheet, 80 GB SXM", Clock(1410)},
    Peaks{"A100 80GB PCIe", Stated(312), kNone, Stated(156), Stated(19.5), Stated(19.5),
          Memory(1935), kNone, "NVIDIA A100 data sheet, 80 GB PCIe", Clock(1410)},
    Peaks{"A100-SXM4", Stated(312), kNone, Stated(156), Stated(19.5), Stated(19.5), Memory(1555),
          Link(600), "NVIDIA A100 data sheet, 40 GB SXM", Clock(1410)},
    Peaks{"A100", Stated(312), kNone, Stated(156), Stated(19.5), Stated(19.5), Memory(1555), kNone,
          "NVIDIA A100 data sheet, 40 GB", Clock(1410)},
    Peaks{"L40S", Stated(362), Stated(733), Stated(183), Stated(91.6), kNone, Memory(864), kNone,
          "NVIDIA L40S data sheet"},
    Peaks{"L4", Halved(121), Halved(242.5), Halved(60), Stated(30.3), kNone, Memory(300), kNone,
          "NVIDIA L4 data sheet"},
    // With 16-bit sums twice as much.
    Peaks{"RTX 4090", Stated(165.2), Stated(330.3), Stated(82.6), Stated(82.6), Stated(1.3),
          Memory(1008), kNone, "NVIDIA Ada GPU Architecture, GeForce RTX 4090"},
    Peaks{"V100-SXM2", Stated(125), kNone, kNone, Stated(15.7), Stated(7.8), Memory(900), Link(300),
          "NVIDIA V100 data sheet, SXM2", Clock(1530)},
    Peaks{"V100", Stated(112), kNone, kNone, Stated(14), Stated(7), Memory(900), kNone,
          "NVIDIA V100 data sheet, PCIe"},
    // The sheet has "320+ GB/s"; NVIDIA's white paper of the architecture has 320.
    Peaks{"Tesla T4", Stated(65), kNone, kNone, Stated(8.1), kNone,
          Memory(320, PeakConfidence::kUnsure), kNone, "NVIDIA T4 data sheet"},
    // Seven links of 128 GB/s to the seven others of a host.
    Peaks{"MI300X", Stated(1307.4), Stated(2614.9), Stated(163.4), Stated(163.4), Stated(163.4),
          Memory(5300), Link(7 * 128, PeakConfidence::kDerived), "AMD Instinct MI300X data sheet"},
    Peaks{"MI325X", Stated(1307.4), Stated(2614.9), Stated(163.4), Stated(163.4), Stated(163.4),
          Memory(6000), Link(7 * 128, PeakConfidence::kDerived), "AMD Instinct MI325X data sheet"},
    Peaks{"MI350X", Stated(2306.9), Stated(4613.7), Stated(144.2), Stated(144.2), Stated(72.1),
          Memory(8000), Link(7 * 153.6, PeakConfidence::kDerived),
          "AMD Instinct MI350X data sheet"},
    Peaks{"MI355X", Stated(2516.6), Stated(5033.2), Stated(157.3), Stated(157.3), Stated(78.6),
          Memory(8000), Link(7 * 153.6, PeakConfidence::kDerived),
          "AMD Instinct MI355X data sheet"},
    // A device of the driver is one die of the two on a card. Drivers call both cards
    // "AMD Instinct MI250X / MI250".
    Peaks{"MI250X", Derived(191.5), kNone, Derived(47.9), Derived(23.9), Derived(47.9),
          Memory(1638, PeakConfidence::kDerived), kNone,
          "AMD Instinct MI250X data sheet, one of two dies"},
    Peaks{"MI250", Derived(181), kNone, Derived(45.3), Derived(22.6), Derived(45.3),
          Memory(1638, PeakConfidence::kDerived), kNone,
          "AMD Instinct MI250 data sheet, one of two dies"},
    Peaks{"MI210", Stated(181), kNone, Stated(45.3), Stated(22.6), Stated(45.3), Memory(1638),
          kNone, "AMD Instinct MI210 data sheet"},
};

bool IsLetterOrDigit(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

// "NVIDIA L40S" holds no L4, and "NVIDIA H200" no H20.
bool HoldsWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !IsLetterOrDigit(text[at - 1])) &&
        (end == text.size() || !IsLetterOrDigit(text[end])))
      return true;
  }
  return false;
}

}  // namespace

std::string_view ToString(PeakConfidence confidence) {
  static constexpr std::string_view kNames[] = {"stated", "halved", "derived", "unsure"};
  return kNames[static_cast<std::size_t>(confidence)];
}

std::span<const Peaks> AllPeaks() { return kPeaks; }

const Peaks* FindPeaks(std::string_view device_name) {
  for (const Peaks& peaks : kPeaks) {
    if (HoldsWord(device_name, peaks.pattern)) return &peaks;
  }
  return nullptr;
}

std::optional<FlopsEstimate> EstimateFlops(const DeviceState& state) {
  const Peaks* const peaks = FindPeaks(state.name);
  if (peaks == nullptr || peaks->matrix_16.value == 0 || !state.tensor_active) return std::nullopt;
  double flops = *state.tensor_active * peaks->matrix_16.value;
  flops += state.fp32_active.value_or(0) * peaks->vector_32.value;
  flops += state.fp64_active.value_or(0) * peaks->vector_64.value;
  if (state.sm_clock_hz && peaks->clock.value > 0) flops *= *state.sm_clock_hz / peaks->clock.value;
  return FlopsEstimate{flops, flops / peaks->matrix_16.value, peaks};
}

}  // namespace rankscope::device
