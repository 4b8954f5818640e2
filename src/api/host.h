// Hosts, their devices and their training processes: reports of agents to the server, and the
// server's answers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/type.h"

namespace rankscope::api {

inline constexpr std::size_t kMostProcesses = 4096;  // of a host

struct ReportedProcess {
  std::int64_t pid = 0;
  std::vector<std::int64_t> inside;
  std::int64_t job = 0;
  std::int64_t seen_ms_ago = 0;
  std::uint64_t polls = 0;
  bool recording = false;
  std::optional<std::int64_t> rank, local_rank, world_size;
  std::string command, user, job_id, job_name, container, container_name, pod_uid, pod;
};
struct ReportedProcesses {
  std::vector<ReportedProcess> processes;
};

struct DevicePeak {
  double flops_per_s = 0;
  std::string confidence;
  std::string source;
};
struct DeviceProcess {
  std::int64_t pid = 0;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<std::int64_t> rank;
  std::string job, container, container_name, pod_uid, pod;
};
struct ReportedDevice {
  std::int64_t index = 0;
  std::string name, uuid, verdict;
  std::vector<std::string> reasons;
  std::optional<double> busy, memory_used_bytes, memory_total_bytes, power_watts, sm_clock_hz,
      temperature_celsius, tensor_active, dram_active, power_limit_watts, energy_joules, xid_errors,
      last_xid, flops_per_s_estimate, flops_ratio_estimate;
  std::optional<DevicePeak> peak;
  std::optional<std::vector<std::string>> slowed_by;
  std::optional<std::string> serial, firmware, driver;
  std::optional<std::vector<DeviceProcess>> processes;
};
struct ReportedDevices {
  std::vector<ReportedDevice> devices;
};

// State of the settings from the server.
struct SettingsTaken {
  std::string id, refused, problem;
};
// The answer to a request in the reply to an earlier report.
struct AgentAnswer {
  std::int64_t id = 0;
  std::optional<std::string> answer;
};
struct HostReport {
  std::string host, instance;
  std::optional<std::string> version, rack;
  std::optional<std::int64_t> wait_ms, ahead_us, rtt_us;
  std::optional<std::vector<ReportedProcess>> processes;
  std::optional<std::vector<ReportedDevice>> devices;
  std::optional<SettingsTaken> settings;
  std::optional<json::RawJson> samples;
  std::optional<std::vector<AgentAnswer>> answers;
};

struct HostProcess {
  std::int64_t pid = 0;
  bool recording = false;
  std::optional<std::int64_t> rank, world_size;
  std::string job, job_name, user, command, container, pod;
};

struct HostDevice {
  std::int64_t index = 0;
  std::string name, verdict;
  std::vector<std::string> reasons;
  std::optional<double> busy, power_watts, temperature_celsius, memory_used_bytes,
      memory_total_bytes;
};

struct Host {
  std::string host, team, version, rack;
  bool here = false;
  std::int64_t silent_ms = 0;
  std::optional<std::int64_t> clock_ahead_us, clock_uncertainty_us;
  std::string settings, settings_problem;
  std::vector<HostProcess> processes;
  std::vector<HostDevice> devices;
};

struct HostJob {
  std::string job, name, user;
  std::uint64_t host_count = 0;
  std::uint64_t processes = 0;
  std::uint64_t recording = 0;
  std::optional<std::int64_t> world_size;
};

struct HostList {
  std::vector<HostJob> jobs;
  std::vector<Host> hosts;
};

// Metrics of a host and its devices over the last hour.
struct HostSeries {
  std::string name, unit;
  std::optional<std::int64_t> device;
  std::vector<std::optional<double>> low, high;
};
struct HostMetrics {
  std::string host;
  std::int64_t begin_ms = 0;
  std::int64_t step_ms = 0;
  std::vector<HostSeries> series;
};

}  // namespace rankscope::api

namespace rankscope::json {

template <>
const Fields<api::ReportedProcess>& FieldsOf();
template <>
const Fields<api::ReportedProcesses>& FieldsOf();
template <>
const Fields<api::DevicePeak>& FieldsOf();
template <>
const Fields<api::DeviceProcess>& FieldsOf();
template <>
const Fields<api::ReportedDevice>& FieldsOf();
template <>
const Fields<api::ReportedDevices>& FieldsOf();
template <>
const Fields<api::SettingsTaken>& FieldsOf();
template <>
const Fields<api::AgentAnswer>& FieldsOf();
template <>
const Fields<api::HostReport>& FieldsOf();
template <>
const Fields<api::HostProcess>& FieldsOf();
template <>
const Fields<api::HostDevice>& FieldsOf();
template <>
const Fields<api::Host>& FieldsOf();
template <>
const Fields<api::HostJob>& FieldsOf();
template <>
const Fields<api::HostList>& FieldsOf();
template <>
const Fields<api::HostSeries>& FieldsOf();
template <>
const Fields<api::HostMetrics>& FieldsOf();

}  // namespace rankscope::json
