// The simulated device, an A100: the cost of kernels and their launch shapes in a trace.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace rankscope::sim {

inline constexpr int kSmCount = 108;
inline constexpr int kDevicesPerHost = 8;
inline constexpr std::int64_t kDeviceBytes = 85'097'971'712;

// Streams of a device that jobs use, and their numbers in a trace. Every process group has a stream
// of its own.
enum class Stream : std::uint8_t {
  kCompute,
  kCommunication,  // of the first process group
  kCopy,
  kCommunication2,
  kCommunication3,
  kCommunication4,
  kCommunication5,
  kSide,  // kernels next to those of the compute stream
  kSide2,
  kCommunication6,
  kCommunication7,
};
inline constexpr int kStreamCount = 11;
inline constexpr std::array<int, kStreamCount> kStreamNumber = {7,  20, 13, 24, 28, 32,
                                                                36, 40, 44, 48, 52};

// A kernel that the job launches repeatedly. `name` is a literal.
struct KernelSpec {
  std::string_view name;
  std::array<int, 3> grid{1, 1, 1};
  std::array<int, 3> block{1, 1, 1};
  int registers = 0;
  int shared_bytes = 0;
  std::int64_t duration_ns = 0;  // before jitter
  double blocks_per_sm = 0;
  double warps_per_sm = 0;
  int occupancy_pct = 0;
};

// Launch shape of a kernel before its figures are derived.
struct Launch {
  std::array<int, 3> grid{1, 1, 1};
  std::array<int, 3> block{1, 1, 1};
  int registers = 32;
  int shared_bytes = 0;
};

// Roofline model: duration = max(arithmetic at 65 % of the peak, memory traffic at 80 % of the
// peak), plus 1.5 us of overhead per kernel.
KernelSpec MakeKernel(std::string_view name, const Launch& launch, double flops, double bytes);

// A matrix product [m, k] x [k, n] in bf16, in tiles of 128 x 256.
KernelSpec MakeGemm(std::string_view name, std::int64_t m, std::int64_t n, std::int64_t k);

// The same in fp32 without tensor cores, in tiles of 128 x 64.
KernelSpec MakeSgemm(std::string_view name, std::int64_t m, std::int64_t n, std::int64_t k);

// A kernel that streams `bytes`, four elements of 2 bytes per thread.
KernelSpec MakeElementwise(std::string_view name, std::int64_t elements, std::int64_t bytes);

// Time of a copy between pinned host memory and the device.
std::int64_t CopyNs(std::int64_t bytes);
// The same for pageable memory, where the driver copies a second time.
std::int64_t PageableCopyNs(std::int64_t bytes);
// The number of bytes that a pageable copy moves in that time.
std::int64_t PageableCopyBytes(std::int64_t ns);
// Time of a copy within the device.
std::int64_t DeviceCopyNs(std::int64_t bytes);

}  // namespace rankscope::sim
