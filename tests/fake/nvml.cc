// A driver that is none: NVML's functions, whose values come from the file $FAKE_NVML (said.h); a
// value "!15" is the error 15. Loaded by tests alone.
#include <cstring>

#include "device/nvml_api.h"
#include "said.h"

using namespace rankscope::device::nvml;

namespace {

constexpr Return kNotSupported = 3;
constexpr Return kUnknown = 999;
int live = 0;  // between init and shutdown

Return Value(const std::string& key, double& value) {
  const auto said = fake::Said("FAKE_NVML");
  const Return found = fake::ErrorOf(said, key, kNotSupported);
  if (found == kSuccess) value = std::stod(said.at(key));
  return found;
}

template <typename T>
Return Give(const std::string& key, T* place) {
  double value = 0;
  const Return result = Value(key, value);
  if (result == kSuccess) *place = static_cast<T>(value);
  return result;
}

// Succeeds unless the file says otherwise.
Return Unless(const std::string& key) {
  double code = 0;
  const Return result = Value(key, code);
  return result == kNotSupported ? kSuccess : result;
}

}  // namespace

extern "C" {
Return nvmlInit_v2() {
  const Return result = Unless("init");
  if (result != kSuccess) return result;
  return ++live == 1 ? kSuccess : kUnknown;  // once, and not again before it is shut down
}
Return nvmlShutdown() {
  --live;
  return kSuccess;
}
Return nvmlDeviceGetCount_v2(unsigned* count) { return Give("count", count); }
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  static char handles[64];
  *device = &handles[index % sizeof(handles)];
  return Unless("handle" + std::to_string(index));
}
Return nvmlDeviceGetName(Device, char* name, unsigned size) {
  double is_h100 = 0;
  (void)Value("h100", is_h100);
  std::strncpy(name, is_h100 != 0 ? "NVIDIA H100 80GB HBM3" : "NVIDIA Fake", size);
  return kSuccess;
}
Return nvmlDeviceGetUUID(Device device, char* uuid, unsigned size) {
  // Those of one host are next to each other.
  static const auto* const first = static_cast<const char*>(device);
  const std::string text = "GPU-" + std::to_string(static_cast<const char*>(device) - first);
  std::strncpy(uuid, text.c_str(), size);
  return kSuccess;
}
Return nvmlDeviceGetUtilizationRates(Device, Utilization* busy) {
  (void)Give("memory_busy", &busy->memory);
  return Give("busy", &busy->gpu);
}
Return nvmlDeviceGetMemoryInfo(Device, Memory* memory) {
  (void)Give("memory_total", &memory->total);
  return Give("memory_used", &memory->used);
}
// Of drivers since 510: what is reserved stands apart.
Return nvmlDeviceGetMemoryInfo_v2(Device, MemoryV2* memory) {
  if (memory->version != kMemoryV2) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  (void)Give("memory_total", &memory->total);
  const Return known = Give("memory_reserved", &memory->reserved);
  if (known != kSuccess) return known;
  const Return used = Give("memory_used", &memory->used);
  memory->used -= memory->reserved;
  return used;
}
Return nvmlDeviceGetPowerUsage(Device, unsigned* mw) { return Give("power_mw", mw); }
Return nvmlDeviceGetTotalEnergyConsumption(Device, unsigned long long* mj) {
  return Give("energy_mj", mj);
}
Return nvmlDeviceGetTemperature(Device, unsigned, unsigned* celsius) {
  return Give("celsius", celsius);
}
Return nvmlDeviceGetClockInfo(Device, unsigned kind, unsigned* mhz) {
  return Give(kind == kSmClock ? "sm_mhz" : "memory_mhz", mhz);
}
Return nvmlDeviceGetMaxClockInfo(Device, unsigned kind, unsigned* mhz) {
  return Give(kind == kSmClock ? "sm_max_mhz" : "memory_max_mhz", mhz);
}
// Its name up to driver 530.
Return nvmlDeviceGetCurrentClocksThrottleReasons(Device, unsigned long long* bits) {
  return Give("slowdown", bits);
}
Return nvmlDeviceGetTotalEccErrors(Device, unsigned kind, unsigned, unsigned long long* errors) {
  return Give(kind == kCorrected ? "corrected" : "uncorrected", errors);
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Device, unsigned* count, ProcessInfo* infos) {
  infos[0] = {4711, 1 << 20, 0, 0};
  infos[1] = {4712, ~0ULL, 0, 0};
  double pid = 0;
  if (Value("pid", pid) == kSuccess) infos[0].pid = static_cast<unsigned>(pid);
  return Give("processes", count);
}
Return nvmlEventSetCreate(EventSet* set) {
  const Return result = Unless("events");
  if (result == kSuccess) *set = new int(0);
  return result;
}
Return nvmlEventSetFree(EventSet set) {
  delete static_cast<int*>(set);
  return kSuccess;
}
Return nvmlDeviceRegisterEvents(Device, unsigned long long types, EventSet) {
  return types == kXidEvent ? Unless("register") : kUnknown;
}
// One event each time that xid_serial grows: the Xid `xid` of the device with the index xid_device.
Return nvmlEventSetWait_v2(EventSet set, EventData* event, unsigned timeout_ms) {
  double serial = 0, number = 0, index = 0;
  (void)Value("xid_serial", serial);
  (void)Value("xid", number);
  (void)Value("xid_device", index);
  int& before = *static_cast<int*>(set);
  if (timeout_ms != 0 || serial <= before) return kTimeout;
  before = static_cast<int>(serial);
  *event = {nullptr, kXidEvent, static_cast<unsigned long long>(number), ~0U, ~0U};
  (void)nvmlDeviceGetHandleByIndex_v2(static_cast<unsigned>(index), &event->device);
  return kSuccess;
}
Return nvmlGpmQueryDeviceSupport(Device, GpmSupport* support) {
  return Give("gpm", &support->is_supported);
}
Return nvmlGpmSampleAlloc(GpmSample* sample) {
  *sample = new int(0);
  return kSuccess;
}
Return nvmlGpmSampleFree(GpmSample sample) {
  delete static_cast<int*>(sample);
  return kSuccess;
}
Return nvmlGpmSampleGet(Device, GpmSample sample) {
  return Give("tick", static_cast<int*>(sample));
}
Return nvmlGpmMetricsGet(GpmHead* head) {
  auto* const metrics = reinterpret_cast<GpmMetric*>(head + 1);
  for (unsigned i = 0; i < head->count; ++i)
    metrics[i].result = Give("gpm" + std::to_string(metrics[i].id), &metrics[i].value);
  return head->version == 1 ? kSuccess : kUnknown;
}
}
