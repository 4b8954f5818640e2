#include "sim/model/gpu.h"

#include <algorithm>

namespace rankscope::sim {
namespace {

constexpr double kFlopsPerNs = 312e3 * 0.65;
constexpr double kMemoryBytesPerNs = 2039 * 0.8;
constexpr double kSimtFlopsPerNs = 19.5e3 * 0.8;
constexpr double kHostLinkBytesPerNs = 24;
constexpr double kPageableBytesPerNs = 6;
constexpr std::int64_t kCopyFloorNs = 1200;
constexpr std::int64_t kKernelFloorNs = 1500;

constexpr int kThreadsPerSm = 2048;
constexpr int kWarpsPerSm = kThreadsPerSm / 32;
constexpr int kRegistersPerSm = 65536;
constexpr int kSharedBytesPerSm = 167936;
constexpr int kBlocksPerSm = 32;

int BlocksThatFit(const Launch& launch, int threads) {
  int fit = std::min(kBlocksPerSm, kThreadsPerSm / threads);
  fit = std::min(fit, kRegistersPerSm / (launch.registers * threads));
  if (launch.shared_bytes > 0) fit = std::min(fit, kSharedBytesPerSm / launch.shared_bytes);
  return std::max(fit, 1);
}

}  // namespace

KernelSpec MakeKernel(std::string_view name, const Launch& launch, double flops, double bytes) {
  KernelSpec kernel{.name = name,
                    .grid = launch.grid,
                    .block = launch.block,
                    .registers = launch.registers,
                    .shared_bytes = launch.shared_bytes};
  const double work_ns = std::max(flops / kFlopsPerNs, bytes / kMemoryBytesPerNs);
  kernel.duration_ns = kKernelFloorNs + static_cast<std::int64_t>(work_ns);

  const int threads = launch.block[0] * launch.block[1] * launch.block[2];
  const int warps = (threads + 31) / 32;
  const double blocks = static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  kernel.blocks_per_sm = blocks / kSmCount;
  kernel.warps_per_sm = kernel.blocks_per_sm * warps;
  const double resident = std::min<double>(BlocksThatFit(launch, threads), kernel.blocks_per_sm);
  kernel.occupancy_pct = static_cast<int>(resident * warps / kWarpsPerSm * 100);
  return kernel;
}

KernelSpec MakeGemm(std::string_view name, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Launch launch{
      .grid = {static_cast<int>((n + 127) / 128), static_cast<int>((m + 255) / 256), 1},
      .block = {256, 1, 1},
      .registers = 234,
      .shared_bytes = 147456};
  const auto [fm, fn, fk] = std::array<double, 3>{double(m), double(n), double(k)};
  return MakeKernel(name, launch, 2 * fm * fn * fk, 2 * (fm * fk + fk * fn + fm * fn));
}

KernelSpec MakeSgemm(std::string_view name, std::int64_t m, std::int64_t n, std::int64_t k) {
  const Launch launch{
      .grid = {static_cast<int>((n + 63) / 64), static_cast<int>((m + 127) / 128), 1},
      .block = {128, 1, 1},
      .registers = 122,
      .shared_bytes = 12544};
  const auto [fm, fn, fk] = std::array<double, 3>{double(m), double(n), double(k)};
  const double flops = 2 * fm * fn * fk;
  // As many FLOPs of the tensor cores take the same time.
  return MakeKernel(name, launch, flops * (kFlopsPerNs / kSimtFlopsPerNs),
                    4 * (fm * fk + fk * fn + fm * fn));
}

KernelSpec MakeElementwise(std::string_view name, std::int64_t elements, std::int64_t bytes) {
  const Launch launch{.grid = {static_cast<int>((elements + 511) / 512), 1, 1},
                      .block = {128, 1, 1},
                      .registers = 28};
  return MakeKernel(name, launch, 0, static_cast<double>(bytes));
}

std::int64_t CopyNs(std::int64_t bytes) {
  return kCopyFloorNs + static_cast<std::int64_t>(static_cast<double>(bytes) / kHostLinkBytesPerNs);
}

std::int64_t PageableCopyNs(std::int64_t bytes) {
  return kCopyFloorNs + static_cast<std::int64_t>(static_cast<double>(bytes) / kPageableBytesPerNs);
}

std::int64_t PageableCopyBytes(std::int64_t ns) {
  return static_cast<std::int64_t>(static_cast<double>(ns) * kPageableBytesPerNs);
}

std::int64_t DeviceCopyNs(std::int64_t bytes) {
  return kCopyFloorNs +
         static_cast<std::int64_t>(2 * static_cast<double>(bytes) / kMemoryBytesPerNs);
}

}  // namespace rankscope::sim
