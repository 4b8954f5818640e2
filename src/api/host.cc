#include "api/host.h"

#include "json/fields.h"

namespace rankscope::json {

using api::AgentAnswer;
using api::DevicePeak;
using api::DeviceProcess;
using api::Host;
using api::HostDevice;
using api::HostJob;
using api::HostList;
using api::HostMetrics;
using api::HostProcess;
using api::HostReport;
using api::HostSeries;
using api::kMostProcesses;
using api::ReportedDevice;
using api::ReportedDevices;
using api::ReportedProcess;
using api::ReportedProcesses;
using api::SettingsTaken;

namespace {

constexpr std::size_t kHostMostText = 300;
constexpr std::size_t kHostMostHosts = 10'000;
constexpr std::size_t kHostMostAnswer = std::size_t{1} << 20;  // a body has less
constexpr std::size_t kHostMostAnswers = 100'000;
constexpr std::size_t kHostMostPoints = 720;
constexpr std::size_t kHostMostSeries = 10'000;

// A text that is null where it is empty.
Field KnownText(std::string_view name, std::string_view doc) {
  return {.name = name, .doc = doc, .most_bytes = kHostMostText, .is_null_when_empty = true};
}

}  // namespace

template <>
const Fields<ReportedProcess>& FieldsOf() {
  using T = ReportedProcess;
  static const Fields<T> fields =
      Fields<T>("ReportedProcess", "a process that asks an agent for work", Use::kReport)
          .Add<&T::pid>({.name = "pid", .doc = "in the agent's namespace"})
          .Add<&T::inside>(
              {.name = "inside", .doc = "itself and its ancestors, in its own namespace"})
          .Add<&T::job>({.name = "job", .doc = "SLURM_JOB_ID as it says it; 0: none"})
          .Add<&T::seen_ms_ago>({.name = "seen_ms_ago", .doc = "when it asked last", .unit = "ms"})
          .Add<&T::polls>({.name = "polls", .doc = "how often it has asked"})
          .Add<&T::recording>({.name = "recording", .doc = "whether it says that it records"})
          .Add<&T::rank>({.name = "rank", .doc = "its rank, by torchrun, Slurm or MPI"})
          .Add<&T::local_rank>({.name = "local_rank", .doc = "its rank on the host"})
          .Add<&T::world_size>({.name = "world_size", .doc = "ranks of the job"})
          .Add<&T::command>(KnownText("command", "name of its program"))
          .Add<&T::user>(KnownText("user", "USER of its environment"))
          .Add<&T::job_id>(KnownText("job_id", "SLURM_JOB_ID or TORCHELASTIC_RUN_ID"))
          .Add<&T::job_name>(KnownText("job_name", "SLURM_JOB_NAME, else its pod's name"))
          .Add<&T::container>(KnownText("container", "its id"))
          .Add<&T::container_name>(KnownText("container_name", "name of its container"))
          .Add<&T::pod_uid>(KnownText("pod_uid", "UID of its Kubernetes pod"))
          .Add<&T::pod>(KnownText("pod", "NAMESPACE/NAME, where the agent knows them"));
  return fields;
}

template <>
const Fields<ReportedProcesses>& FieldsOf() {
  using T = ReportedProcesses;
  static const Fields<T> fields =
      Fields<T>("ReportedProcesses", "the processes of a host", Use::kReport)
          .Add<&T::processes>({.name = "processes",
                               .doc = "processes that ask the agent for work",
                               .most_items = kMostProcesses});
  return fields;
}

template <>
const Fields<DevicePeak>& FieldsOf() {
  using T = DevicePeak;
  static const Fields<T> fields =
      Fields<T>("DevicePeak", "what estimates of a device are held against", Use::kReport)
          .Add<&T::flops_per_s>({.name = "flops_per_s", .doc = "of 16-bit matrices"})
          .Add<&T::confidence>(
              {.name = "confidence", .doc = "stated, halved, derived or unsure (docs/roofline.md)"})
          .Add<&T::source>({.name = "source", .doc = "who states it"});
  return fields;
}

template <>
const Fields<DeviceProcess>& FieldsOf() {
  using T = DeviceProcess;
  static const Fields<T> fields =
      Fields<T>("DeviceProcess", "a process on a device", Use::kReport)
          .Add<&T::pid>({.name = "pid", .doc = "in the agent's namespace"})
          .Add<&T::memory_bytes>(
              {.name = "memory_bytes", .doc = "device memory that it holds", .unit = "bytes"})
          .Add<&T::rank>({.name = "rank", .doc = "of a training process that is known"})
          .Add<&T::job>(KnownText("job", "of a training process that is known"))
          .Add<&T::container>(KnownText("container", "its id"))
          .Add<&T::container_name>(KnownText("container_name", "name of its container"))
          .Add<&T::pod_uid>(KnownText("pod_uid", "UID of its Kubernetes pod"))
          .Add<&T::pod>(KnownText("pod", "NAMESPACE/NAME, where the agent knows them"));
  return fields;
}

template <>
const Fields<ReportedDevice>& FieldsOf() {
  using T = ReportedDevice;
  static const Fields<T> fields =
      Fields<T>("ReportedDevice", "a device as its agent sees it", Use::kReport)
          .Add<&T::index>({.name = "index", .doc = "index of the device on its host"})
          .Add<&T::name>({.name = "name", .doc = "product name", .most_bytes = kHostMostText})
          .Add<&T::uuid>({.name = "uuid", .doc = "UUID of the device", .most_bytes = kHostMostText})
          .Add<&T::verdict>({.name = "verdict", .doc = "ok, degraded, failed or unknown"})
          .Add<&T::reasons>(
              {.name = "reasons", .doc = "of the verdict", .most_bytes = kHostMostText})
          .Add<&T::busy>({.name = "busy", .doc = "a share of the time"})
          .Add<&T::memory_used_bytes>(
              {.name = "memory_used_bytes", .doc = "memory in use", .unit = "bytes"})
          .Add<&T::memory_total_bytes>(
              {.name = "memory_total_bytes", .doc = "memory of the device", .unit = "bytes"})
          .Add<&T::power_watts>({.name = "power_watts", .doc = "power draw", .unit = "W"})
          .Add<&T::sm_clock_hz>(
              {.name = "sm_clock_hz", .doc = "clock of its multiprocessors", .unit = "Hz"})
          .Add<&T::temperature_celsius>(
              {.name = "temperature_celsius", .doc = "temperature of the chip", .unit = "C"})
          .Add<&T::tensor_active>({.name = "tensor_active", .doc = "a share of the time"})
          .Add<&T::dram_active>({.name = "dram_active", .doc = "a share of the time"})
          .Add<&T::power_limit_watts>(
              {.name = "power_limit_watts", .doc = "enforced power limit", .unit = "W"})
          .Add<&T::energy_joules>(
              {.name = "energy_joules", .doc = "energy since the driver was loaded", .unit = "J"})
          .Add<&T::xid_errors>({.name = "xid_errors", .doc = "how many"})
          .Add<&T::last_xid>({.name = "last_xid", .doc = "the code of the last"})
          .Add<&T::flops_per_s_estimate>(
              {.name = "flops_per_s_estimate",
               .doc = "upper bound of FLOP/s by tensor_active, for 16-bit types"})
          .Add<&T::flops_ratio_estimate>({.name = "flops_ratio_estimate", .doc = "of the peak"})
          .Add<&T::peak>({.name = "peak", .doc = "peak that the estimate is compared with"})
          .Add<&T::slowed_by>({.name = "slowed_by", .doc = "what slows its clocks"})
          .Add<&T::serial>(KnownText("serial", "serial number, if its specification says it"))
          .Add<&T::firmware>(KnownText("firmware", "version of its firmware, likewise"))
          .Add<&T::driver>(KnownText("driver", "version of its driver, likewise"))
          .Add<&T::processes>({.name = "processes",
                               .doc = "processes on it; null: unknown",
                               .most_items = kMostProcesses});
  return fields;
}

template <>
const Fields<ReportedDevices>& FieldsOf() {
  using T = ReportedDevices;
  static const Fields<T> fields =
      Fields<T>("ReportedDevices", "the devices of a host", Use::kReport)
          .Add<&T::devices>(
              {.name = "devices", .doc = "devices of the host", .most_items = kMostProcesses});
  return fields;
}

template <>
const Fields<SettingsTaken>& FieldsOf() {
  using T = SettingsTaken;
  static const Fields<T> fields =
      Fields<T>("SettingsTaken", "which settings of the server's an agent has", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "of those", .most_bytes = kHostMostText})
          .Add<&T::refused>(
              {.name = "refused", .doc = "the id of those it refused", .most_bytes = kHostMostText})
          .Add<&T::problem>({.name = "problem", .doc = "why", .most_bytes = kHostMostText});
  return fields;
}

template <>
const Fields<AgentAnswer>& FieldsOf() {
  using T = AgentAnswer;
  static const Fields<T> fields =
      Fields<T>("AgentAnswer", "what an agent answers to a request", Use::kReport)
          .Add<&T::id>({.name = "id", .doc = "of the request"})
          .Add<&T::answer>({.name = "answer", .doc = "JSON", .most_bytes = kHostMostAnswer});
  return fields;
}

template <>
const Fields<HostReport>& FieldsOf() {
  using T = HostReport;
  static const Fields<T> fields =
      Fields<T>("HostReport", "what an agent tells of its host", Use::kReport)
          .Add<&T::host>({.name = "host", .doc = "name of the host", .most_bytes = kHostMostText})
          .Add<&T::instance>({.name = "instance",
                              .doc = "tells it from another agent of that name",
                              .most_bytes = kHostMostText})
          .Add<&T::version>({.name = "version",
                             .doc = "version of the agent",
                             .most_bytes = kHostMostText,
                             .is_left_out = true})
          .Add<&T::rack>({.name = "rack",
                          .doc = "where the host stands, by the agent's settings",
                          .most_bytes = kHostMostText,
                          .is_left_out = true})
          .Add<&T::wait_ms>({.name = "wait_ms",
                             .doc = "how long the reply may wait for something to do",
                             .unit = "ms",
                             .is_left_out = true})
          .Add<&T::ahead_us>({.name = "ahead_us",
                              .doc = "its clock, of the server's",
                              .unit = "us",
                              .is_left_out = true})
          .Add<&T::rtt_us>({.name = "rtt_us",
                            .doc = "of the exchange by which that is known",
                            .unit = "us",
                            .is_left_out = true})
          .Add<&T::processes>({.name = "processes",
                               .doc = "processes that can be profiled",
                               .most_items = kMostProcesses,
                               .is_left_out = true})
          .Add<&T::devices>({.name = "devices",
                             .doc = "devices of the host",
                             .most_items = kMostProcesses,
                             .is_left_out = true})
          .Add<&T::settings>({.name = "settings",
                              .doc = "settings of the server that the agent has",
                              .is_left_out = true})
          .Add<&T::samples>({.name = "samples",
                             .doc = "[unix_ms, device, name, value] of each, by the host's clock; "
                                    "device -1: of the host",
                             .is_left_out = true})
          .Add<&T::answers>({.name = "answers",
                             .doc = "answers to requests of earlier replies",
                             .most_items = kHostMostAnswers,
                             .is_left_out = true});
  return fields;
}

template <>
const Fields<HostProcess>& FieldsOf() {
  using T = HostProcess;
  static const Fields<T> fields =
      Fields<T>("HostProcess", "a process that can be profiled", Use::kReport)
          .Add<&T::pid>({.name = "pid", .doc = "in the agent's namespace"})
          .Add<&T::recording>({.name = "recording", .doc = "whether it records"})
          .Add<&T::rank>({.name = "rank", .doc = "its rank in the job"})
          .Add<&T::world_size>({.name = "world_size", .doc = "ranks of the job"})
          .Add<&T::job>(KnownText("job", "SLURM_JOB_ID or TORCHELASTIC_RUN_ID"))
          .Add<&T::job_name>(KnownText("job_name", "name of the job"))
          .Add<&T::user>(KnownText("user", "USER of its environment"))
          .Add<&T::command>(KnownText("command", "name of its program"))
          .Add<&T::container>(KnownText("container", "id of its container"))
          .Add<&T::pod>(KnownText("pod", "NAMESPACE/NAME, else its uid"));
  return fields;
}

template <>
const Fields<HostDevice>& FieldsOf() {
  using T = HostDevice;
  static const Fields<T> fields =
      Fields<T>("HostDevice", "a device of a host", Use::kReport)
          .Add<&T::index>({.name = "index", .doc = "index of the device on its host"})
          .Add<&T::name>(KnownText("name", "product name"))
          .Add<&T::verdict>(KnownText("verdict", "ok, degraded, failed; null: not known"))
          .Add<&T::reasons>(
              {.name = "reasons", .doc = "of the verdict", .most_bytes = kHostMostText})
          .Add<&T::busy>({.name = "busy", .doc = "a share of the time"})
          .Add<&T::power_watts>({.name = "power_watts", .doc = "power draw", .unit = "W"})
          .Add<&T::temperature_celsius>(
              {.name = "temperature_celsius", .doc = "temperature of the chip", .unit = "C"})
          .Add<&T::memory_used_bytes>(
              {.name = "memory_used_bytes", .doc = "memory in use", .unit = "bytes"})
          .Add<&T::memory_total_bytes>(
              {.name = "memory_total_bytes", .doc = "memory of the device", .unit = "bytes"});
  return fields;
}

template <>
const Fields<Host>& FieldsOf() {
  using T = Host;
  static const Fields<T> fields =
      Fields<T>("Host", "a host whose agent reports to the server", Use::kReport)
          .Add<&T::host>({.name = "host", .doc = "name of the host", .most_bytes = kHostMostText})
          .Add<&T::team>(KnownText("team", "of the token with which it reports"))
          .Add<&T::version>(KnownText("version", "of its agent"))
          .Add<&T::rack>(KnownText("rack", "where it stands, as its agent's settings say"))
          .Add<&T::here>({.name = "here", .doc = "it was heard of a moment ago"})
          .Add<&T::silent_ms>({.name = "silent_ms", .doc = "since then", .unit = "ms"})
          .Add<&T::clock_ahead_us>(
              {.name = "clock_ahead_us", .doc = "of the server's clock", .unit = "us"})
          .Add<&T::clock_uncertainty_us>({.name = "clock_uncertainty_us",
                                          .doc = "of clock_ahead_us: half a round trip, and 1 ms",
                                          .unit = "us"})
          .Add<&T::settings>(KnownText("settings", "of the server, as it took them; null: none"))
          .Add<&T::settings_problem>(
              KnownText("settings_problem", "why it did not take those that it was given last"))
          .Add<&T::processes>({.name = "processes",
                               .doc = "processes that can be profiled",
                               .most_items = kMostProcesses})
          .Add<&T::devices>(
              {.name = "devices", .doc = "devices of the host", .most_items = kMostProcesses});
  return fields;
}

template <>
const Fields<HostJob>& FieldsOf() {
  using T = HostJob;
  static const Fields<T> fields =
      Fields<T>("HostJob", "a job on hosts that report", Use::kReport)
          .Add<&T::job>({.name = "job", .doc = "empty: of processes that name none"})
          .Add<&T::name>(KnownText("name", "name of the job"))
          .Add<&T::user>(KnownText("user", "user of its processes"))
          .Add<&T::host_count>({.name = "host_count", .doc = "hosts on which it has processes"})
          .Add<&T::processes>({.name = "processes", .doc = "how many"})
          .Add<&T::recording>({.name = "recording", .doc = "how many of them record"})
          .Add<&T::world_size>({.name = "world_size", .doc = "ranks of the job"});
  return fields;
}

template <>
const Fields<HostList>& FieldsOf() {
  using T = HostList;
  static const Fields<T> fields =
      Fields<T>("HostList", "hosts that report, and the jobs on them", Use::kReport)
          .Add<&T::jobs>({.name = "jobs",
                          .doc = "jobs of the processes on these hosts",
                          .most_items = kHostMostHosts})
          .Add<&T::hosts>(
              {.name = "hosts", .doc = "hosts whose agents report", .most_items = kHostMostHosts});
  return fields;
}

template <>
const Fields<HostSeries>& FieldsOf() {
  using T = HostSeries;
  static const Fields<T> fields =
      Fields<T>("HostSeries", "a number of a host or of a device over time", Use::kReport)
          .Add<&T::name>({.name = "name", .doc = "of the quantity"})
          .Add<&T::unit>({.name = "unit", .doc = "unit of the values"})
          .Add<&T::device>({.name = "device", .doc = "its index; null: of the host"})
          .Add<&T::low>({.name = "low",
                         .doc = "least of each point; null: unknown",
                         .most_items = kHostMostPoints})
          .Add<&T::high>({.name = "high",
                          .doc = "most of each point; null: unknown",
                          .most_items = kHostMostPoints});
  return fields;
}

template <>
const Fields<HostMetrics>& FieldsOf() {
  using T = HostMetrics;
  static const Fields<T> fields =
      Fields<T>("HostMetrics", "what a host and its devices did over the last hour", Use::kReport)
          .Add<&T::host>({.name = "host", .doc = "name of the host"})
          .Add<&T::begin_ms>({.name = "begin_ms", .doc = "of the first point", .unit = "ms"})
          .Add<&T::step_ms>({.name = "step_ms", .doc = "from point to point", .unit = "ms"})
          .Add<&T::series>({.name = "series",
                            .doc = "one for each quantity and device",
                            .most_items = kHostMostSeries});
  return fields;
}

}  // namespace rankscope::json
