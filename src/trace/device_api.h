// Classifies calls of a device's API by their names: CUDA (runtime and driver), HIP, SYCL, MTIA and
// Ascend's CANN. Kineto writes such a call as a row of kind kRuntime.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rankscope {

// A launch lasts until its work begins, at most this long after the call returned; a longer delay
// has another reason.
inline constexpr std::int64_t kLaunchLimitNs = 100'000;
// The same of a gap between device work and the work that it waited for.
inline constexpr std::int64_t kGapLimitNs = 30'000;

// Puts work on a stream: kernel, graph and cooperative launches, copies and memsets:
// "cudaLaunchKernelExC", "cuLaunchKernel" (Triton's), "cudaGraphLaunch",
// "hipExtModuleLaunchKernel", "hipMemcpyWithStream", "cudaMemsetAsync".
bool IsLaunchCall(std::string_view name);

// Launches a graph: "cudaGraphLaunch", "hipGraphLaunch".
bool IsGraphLaunchCall(std::string_view name);

// Waits for the device: "cudaStreamSynchronize", "synchronizeStream".
bool IsSynchronizeCall(std::string_view name);

// The scope of a synchronising call.
enum class SyncScope : std::uint8_t { kDevice, kStream, kEvent };
SyncScope ScopeOfSynchronizeCall(std::string_view name);

// Makes the later work of a stream wait for an event: "cudaStreamWaitEvent".
bool IsStreamWaitCall(std::string_view name);

// For calls that manage memory: "allocate", "free", "map" (virtual memory) or "pin" (host memory).
std::optional<std::string_view> AllocatorAction(std::string_view name);

// Frees device or pinned memory after all work of the device has ended: "cudaFree", "hipHostFree";
// not the stream-ordered "cudaFreeAsync".
bool IsBlockingFree(std::string_view name);

}  // namespace rankscope
