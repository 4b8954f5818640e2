#include "peaks/device_peaks.h"

#include <array>
#include <cctype>

namespace rankscope {
namespace {

constexpr double kTera = 1e12;
constexpr double kGiga = 1e9;

constexpr PeakRate Stated(double tera) { return {tera * kTera, Confidence::kStated}; }
constexpr PeakRate Halved(double tera) { return {tera * kTera, Confidence::kHalved}; }
constexpr PeakRate Derived(double tera) { return {tera * kTera, Confidence::kDerived}; }
constexpr PeakRate Unsure(double tera) { return {tera * kTera, Confidence::kUnsure}; }
constexpr PeakRate kNone = {};

// Of a figure that counts both directions.
constexpr PeakRate Link(double both_giga, Confidence confidence = Confidence::kHalved) {
  return {both_giga / 2 * kGiga, confidence};
}

constexpr PeakRate Memory(double giga, Confidence confidence = Confidence::kStated) {
  return {giga * kGiga, confidence};
}

// In MHz.
constexpr PeakRate Clock(double mega, Confidence confidence = Confidence::kStated) {
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
    DevicePeaks{"GB300", Halved(2500), Halved(5000), Halved(1250), Stated(80), Stated(1.3),
                Memory(8000), Link(1800), "NVIDIA Blackwell Ultra data sheet, GB300 NVL72"},
    // A device's share of eight. Documents have from 7.7 to 8 TB/s.
    DevicePeaks{"B300", Halved(2250), Halved(4500), Halved(1125), Derived(75), Derived(1.25),
                Memory(8000, Confidence::kUnsure), Link(1800),
                "NVIDIA Blackwell Ultra data sheet, HGX B300"},
    // Half of the figures with sparsity, which the sheet has per GPU.
    DevicePeaks{"GB200", Halved(2500), Halved(5000), Halved(1250), Stated(80), Stated(40),
                Memory(8000), Link(1800), "NVIDIA Blackwell data sheet, GB200 NVL72"},
    // Other documents say 80 for fp32, 40 for fp64, and 7.7 TB/s.
    DevicePeaks{"B200", Halved(2250), Halved(4500), Halved(1100), Unsure(75), Unsure(37),
                Memory(8000, Confidence::kUnsure), Link(1800),
                "NVIDIA Blackwell data sheet, HGX B200; memory: DGX B200"},
    DevicePeaks{"GH200 480GB", Halved(990), Halved(1979), Halved(494), Stated(67), Stated(67),
                Memory(4000), kNone, "NVIDIA GH200 data sheet, HBM3"},
    DevicePeaks{"GH200", Halved(990), Halved(1979), Halved(494), Stated(67), Stated(67),
                Memory(4900), kNone, "NVIDIA GH200 data sheet, HBM3e"},
    DevicePeaks{"H200 NVL", Halved(835), Halved(1671), Halved(418), Stated(60), Stated(60),
                Memory(4800), kNone, "NVIDIA H200 data sheet, NVL"},
    DevicePeaks{"H200", Halved(989), Halved(1979), Halved(494), Stated(67), Stated(67),
                Memory(4800), Link(900), "NVIDIA H200 data sheet, SXM",
                Clock(1830, Confidence::kDerived)},
    DevicePeaks{"H100 PCIe", Halved(756), Halved(1513), Halved(378), Stated(51), Stated(51),
                Memory(2000), kNone, "NVIDIA H100 data sheet, PCIe"},
    DevicePeaks{"H100 NVL", Halved(835), Halved(1671), Halved(418), Stated(60), Stated(60),
                Memory(3900), kNone, "NVIDIA H100 data sheet, NVL"},
    DevicePeaks{"H100", Halved(989), Halved(1979), Halved(494), Stated(67), Stated(67),
                Memory(3350), Link(900), "NVIDIA H100 data sheet, SXM",
                Clock(1830, Confidence::kDerived)},
    // The H100 and the A100 for China: less link and, of the H800, less fp64.
    DevicePeaks{"H800 PCIe", Unsure(756), Unsure(1513), Unsure(378), Unsure(51), Unsure(1),
                Memory(2000, Confidence::kUnsure), kNone, kOfReports},
    DevicePeaks{"H800", Unsure(989), Unsure(1979), Unsure(494), Unsure(67), Unsure(1),
                Memory(3350, Confidence::kUnsure), Link(400, Confidence::kUnsure), kOfReports},
    DevicePeaks{"H20-3e", Unsure(148), Unsure(296), Unsure(74), Unsure(44), Unsure(1),
                Memory(4800, Confidence::kUnsure), Link(900, Confidence::kUnsure), kOfReports},
    DevicePeaks{"H20", Unsure(148), Unsure(296), Unsure(74), Unsure(44), Unsure(1),
                Memory(4000, Confidence::kUnsure), Link(900, Confidence::kUnsure), kOfReports},
    DevicePeaks{"A800-SXM4-80GB", Unsure(312), kNone, Unsure(156), Unsure(19.5), Unsure(19.5),
                Memory(2039, Confidence::kUnsure), Link(400, Confidence::kUnsure), kOfReports},
    DevicePeaks{"A100-SXM4-80GB", Stated(312), kNone, Stated(156), Stated(19.5), Stated(19.5),
                Memory(2039), Link(600), "NVIDIA A100 data sheet, 80 GB SXM", Clock(1410)},
    DevicePeaks{"A100 80GB PCIe", Stated(312), kNone, Stated(156), Stated(19.5), Stated(19.5),
                Memory(1935), kNone, "NVIDIA A100 data sheet, 80 GB PCIe", Clock(1410)},
    DevicePeaks{"A100-SXM4", Stated(312), kNone, Stated(156), Stated(19.5), Stated(19.5),
                Memory(1555), Link(600), "NVIDIA A100 data sheet, 40 GB SXM", Clock(1410)},
    DevicePeaks{"A100", Stated(312), kNone, Stated(156), Stated(19.5), Stated(19.5), Memory(1555),
                kNone, "NVIDIA A100 data sheet, 40 GB", Clock(1410)},
    DevicePeaks{"L40S", Stated(362), Stated(733), Stated(183), Stated(91.6), kNone, Memory(864),
                kNone, "NVIDIA L40S data sheet"},
    DevicePeaks{"L4", Halved(121), Halved(242.5), Halved(60), Stated(30.3), kNone, Memory(300),
                kNone, "NVIDIA L4 data sheet"},
    // With 16-bit sums twice as much.
    DevicePeaks{"RTX 4090", Stated(165.2), Stated(330.3), Stated(82.6), Stated(82.6), Stated(1.3),
                Memory(1008), kNone, "NVIDIA Ada GPU Architecture, GeForce RTX 4090"},
    DevicePeaks{"V100-SXM2", Stated(125), kNone, kNone, Stated(15.7), Stated(7.8), Memory(900),
                Link(300), "NVIDIA V100 data sheet, SXM2", Clock(1530)},
    DevicePeaks{"V100", Stated(112), kNone, kNone, Stated(14), Stated(7), Memory(900), kNone,
                "NVIDIA V100 data sheet, PCIe"},
    // The sheet has "320+ GB/s"; NVIDIA's white paper of the architecture has 320.
    DevicePeaks{"Tesla T4", Stated(65), kNone, kNone, Stated(8.1), kNone,
                Memory(320, Confidence::kUnsure), kNone, "NVIDIA T4 data sheet"},
    // Seven links of 128 GB/s to the seven others of a host.
    DevicePeaks{"MI300X", Stated(1307.4), Stated(2614.9), Stated(163.4), Stated(163.4),
                Stated(163.4), Memory(5300), Link(7 * 128, Confidence::kDerived),
                "AMD Instinct MI300X data sheet"},
    DevicePeaks{"MI325X", Stated(1307.4), Stated(2614.9), Stated(163.4), Stated(163.4),
                Stated(163.4), Memory(6000), Link(7 * 128, Confidence::kDerived),
                "AMD Instinct MI325X data sheet"},
    DevicePeaks{"MI350X", Stated(2306.9), Stated(4613.7), Stated(144.2), Stated(144.2),
                Stated(72.1), Memory(8000), Link(7 * 153.6, Confidence::kDerived),
                "AMD Instinct MI350X data sheet"},
    DevicePeaks{"MI355X", Stated(2516.6), Stated(5033.2), Stated(157.3), Stated(157.3),
                Stated(78.6), Memory(8000), Link(7 * 153.6, Confidence::kDerived),
                "AMD Instinct MI355X data sheet"},
    // A device of the driver is one die of the two on a card. Drivers call both cards
    // "AMD Instinct MI250X / MI250".
    DevicePeaks{"MI250X", Derived(191.5), kNone, Derived(47.9), Derived(23.9), Derived(47.9),
                Memory(1638, Confidence::kDerived), kNone,
                "AMD Instinct MI250X data sheet, one of two dies"},
    DevicePeaks{"MI250", Derived(181), kNone, Derived(45.3), Derived(22.6), Derived(45.3),
                Memory(1638, Confidence::kDerived), kNone,
                "AMD Instinct MI250 data sheet, one of two dies"},
    DevicePeaks{"MI210", Stated(181), kNone, Stated(45.3), Stated(22.6), Stated(45.3), Memory(1638),
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

}  // namespace

std::string_view ToString(Confidence confidence) {
  static constexpr std::string_view kNames[] = {"stated", "halved", "derived", "unsure"};
  return kNames[static_cast<std::size_t>(confidence)];
}

std::span<const PeakCell> PeakCells() { return kCells; }
std::span<const DevicePeaks> AllPeaks() { return kPeaks; }

const DevicePeaks* FindPeaks(std::string_view device_name) {
  for (const DevicePeaks& peaks : kPeaks) {
    if (HoldsWord(device_name, peaks.pattern)) return &peaks;
  }
  return nullptr;
}

}  // namespace rankscope
