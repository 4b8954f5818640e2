// The part of NVIDIA's management library that we call: names, types and constants as in nvml.h.
// Functions are looked up when it is loaded; one that the driver does not have is null.
#pragma once

namespace rankscope::device::nvml {

using Return = int;
inline constexpr Return kSuccess = 0;
inline constexpr Return kGpuIsLost = 15;
using Device = void*;
using GpmSample = void*;

struct Utilization {
  unsigned gpu;     // percent
  unsigned memory;  // percent
};
struct Memory {
  unsigned long long total, free, used;  // used: including the driver's own memory
};
struct MemoryV2 {  // of nvmlDeviceGetMemoryInfo_v2
  unsigned version;
  unsigned long long total, reserved, free, used;  // used: excluding reserved memory
};
static_assert(sizeof(MemoryV2) == 40);
inline constexpr unsigned kMemoryV2 = sizeof(MemoryV2) | 2U << 24;  // nvmlMemory_v2
struct ProcessInfo {  // of nvmlDeviceGetComputeRunningProcesses_v3
  unsigned pid;
  unsigned long long used_memory;  // ~0: unknown
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(ProcessInfo) == 24);

struct GpmSupport {
  unsigned version;
  unsigned is_supported;
};
struct GpmMetric {
  unsigned id;
  Return result;
  double value;
  const char *short_name, *long_name, *unit;
};
static_assert(sizeof(GpmMetric) == 40);
// The driver's own struct has a metric for each that it supports at the end; it reads `count` of
// them.
struct GpmHead {
  unsigned version;
  unsigned count;
  GpmSample first, second;
};
static_assert(sizeof(GpmHead) == 24);

using EventSet = void*;
struct EventData {  // of nvmlEventSetWait_v2
  Device device;
  unsigned long long type, data;  // data: the Xid
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(EventData) == 32);
inline constexpr unsigned long long kXidEvent = 0x8;  // nvmlEventTypeXidCriticalError
inline constexpr Return kTimeout = 10;

inline constexpr unsigned kSmClock = 1;
inline constexpr unsigned kMemoryClock = 2;
inline constexpr unsigned kCorrected = 0;
inline constexpr unsigned kUncorrected = 1;
inline constexpr unsigned kVolatile = 0;

}  // namespace rankscope::device::nvml
