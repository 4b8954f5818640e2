// Quantities: the metrics of hosts, devices and processes that agents read, servers store, rules
// use and pages draw, each declared once. Code uses the constant of a name, so a misspelled name
// does not compile.
//
// agent_metrics.h has the other metrics of an agent's /metrics.
//
// Samples have the short name and the unit: {"name":"device_power","unit":"W"}. Prometheus has the
// unit in the name: rankscope_device_power_watts.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::quantity {

enum class Kind : std::uint8_t { kGauge, kCounter };
enum class Scope : std::uint8_t { kHost, kDevice, kProcess, kJob, kAgent };

struct Quantity {
  std::string_view name;
  std::string_view unit;  // "": a count
  Scope scope = Scope::kDevice;
  std::string_view text;  // what it is, without its unit: help of Prometheus, docs, pages
  Kind kind = Kind::kGauge;
  // Labels of a Prometheus row in addition to those of its scope; "" after the last.
  std::array<std::string_view, 4> labels = {};
};

inline constexpr Quantity kDeviceBusy = {"device_busy", "ratio", Scope::kDevice,
                                         "share of the time in which a kernel ran"};
inline constexpr Quantity kDeviceMemoryBusy = {
    "device_memory_busy", "ratio", Scope::kDevice,
    "share of the time in which device memory was read or written"};
inline constexpr Quantity kDeviceMemoryUsed = {"device_memory_used", "bytes", Scope::kDevice,
                                               "device memory in use by all processes"};
inline constexpr Quantity kDeviceMemoryTotal = {"device_memory_total", "bytes", Scope::kDevice,
                                                "device memory installed"};
inline constexpr Quantity kDevicePower = {"device_power", "W", Scope::kDevice,
                                          "power draw reported by the driver"};
inline constexpr Quantity kDevicePowerLimit = {"device_power_limit", "W", Scope::kDevice,
                                               "power limit enforced by the driver"};
inline constexpr Quantity kDeviceEnergy = {"device_energy", "J", Scope::kDevice,
                                           "energy used since the driver was loaded",
                                           Kind::kCounter};
inline constexpr Quantity kDeviceSmClock = {
    "device_sm_clock", "Hz", Scope::kDevice,
    "clock of the streaming multiprocessors, reported by the driver"};
inline constexpr Quantity kDeviceSmClockMax = {
    "device_sm_clock_max", "Hz", Scope::kDevice,
    "highest clock that the streaming multiprocessors can have"};
inline constexpr Quantity kDeviceMemoryClock = {"device_memory_clock", "Hz", Scope::kDevice,
                                                "clock of the device memory"};
inline constexpr Quantity kDeviceTemperature = {"device_temperature", "C", Scope::kDevice,
                                                "temperature of the device's die"};
inline constexpr Quantity kDeviceSmActive = {
    "device_sm_active", "ratio", Scope::kDevice,
    "share of the cycles of all multiprocessors in which a warp was resident"};
inline constexpr Quantity kDeviceSmOccupancy = {"device_sm_occupancy", "ratio", Scope::kDevice,
                                                "resident warps as a share of those that fit"};
inline constexpr Quantity kDeviceTensorActive = {
    "device_tensor_active", "ratio", Scope::kDevice,
    "share of the cycles in which tensor cores worked; not the share of peak FLOP/s"};
inline constexpr Quantity kDeviceFp64Active = {"device_fp64_active", "ratio", Scope::kDevice,
                                               "share of the cycles in which FP64 pipes worked"};
inline constexpr Quantity kDeviceFp32Active = {"device_fp32_active", "ratio", Scope::kDevice,
                                               "share of the cycles in which FP32 pipes worked"};
inline constexpr Quantity kDeviceFp16Active = {"device_fp16_active", "ratio", Scope::kDevice,
                                               "share of the cycles in which FP16 pipes worked"};
inline constexpr Quantity kDeviceDramActive = {
    "device_dram_active", "ratio", Scope::kDevice,
    "share of the cycles in which device memory was read or written"};
inline constexpr Quantity kDevicePcieSent = {"device_pcie_sent", "bytes/s", Scope::kDevice,
                                             "bytes sent over PCIe"};
inline constexpr Quantity kDevicePcieReceived = {"device_pcie_received", "bytes/s", Scope::kDevice,
                                                 "bytes received over PCIe"};
inline constexpr Quantity kDeviceNvlinkSent = {"device_nvlink_sent", "bytes/s", Scope::kDevice,
                                               "bytes sent over all NVLinks"};
inline constexpr Quantity kDeviceNvlinkReceived = {
    "device_nvlink_received", "bytes/s", Scope::kDevice, "bytes received over all NVLinks"};
inline constexpr Quantity kDeviceErrorsCorrected = {
    "device_memory_errors_corrected", "", Scope::kDevice,
    "memory errors that ECC corrected since the last reset", Kind::kCounter};
inline constexpr Quantity kDeviceErrorsUncorrected = {
    "device_memory_errors_uncorrected", "", Scope::kDevice,
    "memory errors that ECC could not correct since the last reset", Kind::kCounter};
inline constexpr Quantity kDeviceSlowed = {
    "device_slowed", "", Scope::kDevice,
    "1 while heat, power or a fault holds the clocks down, else 0"};

inline constexpr Quantity kHostCpuBusy = {
    "host_cpu_busy", "ratio", Scope::kHost,
    "share of the time of all cores in which they were not idle"};
inline constexpr Quantity kHostCpuPressure = {
    "host_cpu_pressure", "ratio", Scope::kHost,
    "share of the time in which some task waited for a core (PSI)"};
inline constexpr Quantity kHostMemoryUsed = {"host_memory_used", "ratio", Scope::kHost,
                                             "share of the host's memory that was not available"};
inline constexpr Quantity kHostMemoryPressure = {
    "host_memory_pressure", "ratio", Scope::kHost,
    "share of the time in which some task waited for memory (PSI)"};
inline constexpr Quantity kHostIoPressure = {
    "host_io_pressure", "ratio", Scope::kHost,
    "share of the time in which some task waited for a disk (PSI)"};
inline constexpr Quantity kHostNetworkReceived = {
    "host_network_received", "bytes/s", Scope::kHost,
    "bytes received by all network devices except loopback"};
inline constexpr Quantity kHostNetworkSent = {"host_network_sent", "bytes/s", Scope::kHost,
                                              "bytes sent by all network devices except loopback"};
inline constexpr Quantity kHostRunnable = {"host_runnable", "tasks", Scope::kHost,
                                           "tasks that ran or could have run"};
inline constexpr Quantity kHostCores = {"host_cores", "cores", Scope::kHost,
                                        "CPU cores of the host"};
inline constexpr Quantity kHostContextSwitches = {"host_context_switches", "1/s", Scope::kHost,
                                                  "context switches of all tasks"};

inline constexpr Quantity kProcessCoreWait = {
    "process_core_wait", "ratio", Scope::kProcess,
    "share of the time in which the process's main thread could run and had no core"};

// All of the above, in that order.
std::span<const Quantity* const> All();
// nullptr if there is none.
const Quantity* Find(std::string_view name);

// The possible labels of a Prometheus row: those of the scope ("device", "name" and "uuid" for a
// device), then its own.
std::vector<std::string_view> LabelsOf(const Quantity& quantity);

// "rankscope_device_energy_joules_total". A name that already contains its unit, such as
// "device_peak_flops_per_second", does not get it twice.
std::string PrometheusName(const Quantity& quantity);

}  // namespace rankscope::quantity
