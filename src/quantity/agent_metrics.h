// Metrics of an agent's /metrics and sinks in addition to the samples of quantity.h. Servers do not
// store them and no rule reads them. Names follow node_exporter's if it has them, so the host's
// metrics have no "host_" prefix.
#pragma once

#include <span>

#include "quantity/quantity.h"

namespace rankscope::quantity {

// Of a device.
inline constexpr Quantity kDeviceHealth = {"device_health", "", Scope::kDevice,
                                           "health of the device: 0 ok, 1 degraded, 2 failed"};
inline constexpr Quantity kDeviceSlowedFor = {
    "device_slowed", "",
    Scope::kDevice,  "1: clocks are not what they could be, for that reason",
    Kind::kGauge,    {"reason"}};
inline constexpr Quantity kDeviceXidErrors = {
    "device_xid_errors", "", Scope::kDevice,
    "Xids that the driver reported since the agent opened it", Kind::kCounter};
inline constexpr Quantity kDeviceLastXid = {"device_last_xid", "", Scope::kDevice,
                                            "number of the last Xid error"};
inline constexpr Quantity kDeviceInfo = {
    "device_info",  "",
    Scope::kDevice, "1, with what the device's specification says of it",
    Kind::kGauge,   {"id", "serial", "firmware", "driver"}};
inline constexpr Quantity kDeviceVendor = {
    "device_vendor_metric",
    "",
    Scope::kDevice,
    "a metric of the device's specification beside the standard ones; a condition is 0 or 1",
    Kind::kGauge,
    {"metric", "unit"}};
inline constexpr Quantity kDeviceProcessMemory = {"device_process_memory",
                                                  "bytes",
                                                  Scope::kDevice,
                                                  "device memory in use by a process",
                                                  Kind::kGauge,
                                                  {"pid"}};
inline constexpr Quantity kDeviceFlops = {
    "device_flops_per_second_estimate", "FLOP/s", Scope::kDevice,
    "pipes that were busy times their peaks, as fp16: an upper bound, not what was of use"};
inline constexpr Quantity kDeviceFlopsRatio = {
    "device_flops_ratio_estimate", "ratio", Scope::kDevice,
    "estimated FLOP/s as a share of the device's FP16 peak"};
inline constexpr Quantity kDevicePeakFlops = {
    "device_peak_flops_per_second", "FLOP/s", Scope::kDevice,
    "of fp16 on matrix units, dense, by the maker's document"};

// Of the host.
inline constexpr Quantity kCpu = {"cpu",          "s",
                                  Scope::kHost,   "time of each core by mode; guest is within user",
                                  Kind::kCounter, {"cpu", "mode"}};
inline constexpr Quantity kContextSwitches = {"context_switches", "", Scope::kHost,
                                              "context switches of all threads", Kind::kCounter};
inline constexpr Quantity kForks = {"forks", "", Scope::kHost, "processes created", Kind::kCounter};
inline constexpr Quantity kProcessesRunning = {"processes_running", "", Scope::kHost,
                                               "runnable tasks"};
inline constexpr Quantity kProcessesBlocked = {"processes_blocked", "", Scope::kHost,
                                               "tasks that wait for a disk"};
inline constexpr Quantity kSoftirqs = {"softirqs",     "",
                                       Scope::kHost,   "soft interrupts of all cores, by kind",
                                       Kind::kCounter, {"kind"}};
inline constexpr Quantity kLoad = {
    "load",       "",
    Scope::kHost, "runnable and uninterruptible threads, averaged over minutes",
    Kind::kGauge, {"minutes"}};
inline constexpr Quantity kMemory = {
    "memory", "bytes", Scope::kHost, "fields of /proc/meminfo, by name", Kind::kGauge, {"kind"}};
inline constexpr Quantity kHugePages = {"huge_pages", "",
                                        Scope::kHost, "huge page counts of /proc/meminfo, by name",
                                        Kind::kGauge, {"kind"}};
inline constexpr Quantity kPageFaults = {
    "page_faults", "", Scope::kHost, "minor and major page faults", Kind::kCounter, {"kind"}};
inline constexpr Quantity kSwappedPages = {
    "swapped_pages", "", Scope::kHost, "pages swapped in and out", Kind::kCounter, {"direction"}};
inline constexpr Quantity kOomKills = {"oom_kills", "", Scope::kHost,
                                       "processes that the kernel ended for want of memory",
                                       Kind::kCounter};
inline constexpr Quantity kPressure = {
    "pressure",     "s",
    Scope::kHost,   "some: a task waited for the resource; full: all did",
    Kind::kCounter, {"resource", "kind"}};
inline constexpr Quantity kDiskBytes = {"disk",         "bytes",
                                        Scope::kHost,   "bytes that a disk read and wrote",
                                        Kind::kCounter, {"disk", "direction"}};
inline constexpr Quantity kDiskOperations = {"disk_operations", "",
                                             Scope::kHost,      "operations that a disk completed",
                                             Kind::kCounter,    {"disk", "direction"}};
inline constexpr Quantity kDiskBusy = {
    "disk_busy", "s", Scope::kHost, "time in which a disk had work", Kind::kCounter, {"disk"}};
inline constexpr Quantity kNetworkBytes = {
    "network",      "bytes",
    Scope::kHost,   "bytes of a network device, by direction",
    Kind::kCounter, {"device", "direction"}};
inline constexpr Quantity kNetworkPackets = {
    "network_packets", "",
    Scope::kHost,      "packets of a network device, by direction",
    Kind::kCounter,    {"device", "direction"}};
inline constexpr Quantity kNetworkErrors = {
    "network_errors", "",
    Scope::kHost,     "errors of a network device, by direction",
    Kind::kCounter,   {"device", "direction"}};
inline constexpr Quantity kNetworkDrops = {
    "network_drops", "",
    Scope::kHost,    "packets that a network device dropped, by direction",
    Kind::kCounter,  {"device", "direction"}};
inline constexpr Quantity kNetworkSpeed = {"network_speed", "bytes/s",
                                           Scope::kHost,    "negotiated speed of a network link",
                                           Kind::kGauge,    {"device"}};
inline constexpr Quantity kNetworkStatistic = {
    "network_statistic", "",
    Scope::kHost,        "statistics of a network device, by its driver's names",
    Kind::kCounter,      {"device", "statistic"}};
inline constexpr Quantity kRdmaBytes = {"rdma",         "bytes",
                                        Scope::kHost,   "bytes of an RDMA port, by direction",
                                        Kind::kCounter, {"device", "port", "direction"}};
inline constexpr Quantity kRdmaEvents = {
    "rdma_events",  "",
    Scope::kHost,   "counters of an RDMA port, by their names in /sys/class/infiniband",
    Kind::kCounter, {"device", "port", "event"}};
inline constexpr Quantity kTemperature = {"temperature", "C",
                                          Scope::kHost,  "temperature of a thermal zone",
                                          Kind::kGauge,  {"zone", "type"}};
inline constexpr Quantity kNumaMemory = {
    "numa_memory", "bytes",
    Scope::kHost,  "memory of a NUMA node, by the names of its meminfo",
    Kind::kGauge,  {"node", "kind"}};
inline constexpr Quantity kFilesystem = {
    "filesystem", "bytes",
    Scope::kHost, "space of a file system: size, free, available to users",
    Kind::kGauge, {"mount", "type", "kind"}};
inline constexpr Quantity kFilesystemInodes = {
    "filesystem_inodes", "",
    Scope::kHost,        "inodes of a file system: size and free",
    Kind::kGauge,        {"mount", "type", "kind"}};
inline constexpr Quantity kFilesystemReadOnly = {
    "filesystem_read_only",
    "",
    Scope::kHost,
    "1: it takes no writes, as it was mounted or since the kernel found it damaged; else 0",
    Kind::kGauge,
    {"mount", "type"}};
inline constexpr Quantity kTcpSegments = {
    "tcp_segments", "", Scope::kHost, "TCP segments, by direction", Kind::kCounter, {"direction"}};
inline constexpr Quantity kTcpRetransmits = {"tcp_retransmits", "", Scope::kHost,
                                             "TCP segments that were sent again", Kind::kCounter};
inline constexpr Quantity kTcpEvents = {
    "tcp_events",   "",
    Scope::kHost,   "TCP events, by their names in /proc/net/snmp and netstat",
    Kind::kCounter, {"event"}};
inline constexpr Quantity kSockets = {
    "sockets",    "",
    Scope::kHost, "sockets by protocol, by the names of /proc/net/sockstat",
    Kind::kGauge, {"protocol", "kind"}};
inline constexpr Quantity kSocketMemory = {
    "socket_memory", "bytes", Scope::kHost, "memory of socket buffers", Kind::kGauge, {"protocol"}};
inline constexpr Quantity kNfsBytes = {
    "nfs",          "bytes",
    Scope::kHost,   "bytes from and to the server of an NFS mount",
    Kind::kCounter, {"mount", "direction"}};
inline constexpr Quantity kNfsOperations = {"nfs_operations", "",
                                            Scope::kHost,     "operations of an NFS mount",
                                            Kind::kCounter,   {"mount", "operation"}};
inline constexpr Quantity kNfsTransmissions = {
    "nfs_transmissions",
    "",
    Scope::kHost,
    "transmissions of NFS requests; those beyond the operations were sent again",
    Kind::kCounter,
    {"mount", "operation"}};
inline constexpr Quantity kNfsTimeouts = {"nfs_timeouts", "",
                                          Scope::kHost,   "major timeouts of NFS requests",
                                          Kind::kCounter, {"mount", "operation"}};
inline constexpr Quantity kNfsTime = {
    "nfs_time",     "s",
    Scope::kHost,   "time of NFS operations from request to answer",
    Kind::kCounter, {"mount", "operation"}};
inline constexpr Quantity kEdacErrors = {
    "edac_errors",  "",
    Scope::kHost,   "memory errors by controller, corrected or not",
    Kind::kCounter, {"controller", "kind"}};
inline constexpr Quantity kCpuFrequency = {
    "cpu_frequency", "Hz", Scope::kHost, "current frequency of a core", Kind::kGauge, {"cpu"}};
inline constexpr Quantity kCpuFrequencyMax = {
    "cpu_frequency_max", "Hz", Scope::kHost, "highest frequency of a core", Kind::kGauge, {"cpu"}};
inline constexpr Quantity kCpuThrottles = {"cpu_throttles", "",
                                           Scope::kHost,    "times that heat slowed a core down",
                                           Kind::kCounter,  {"cpu"}};
inline constexpr Quantity kClockSynchronised = {"clock_synchronised", "", Scope::kHost,
                                                "1: a daemon steers the kernel's clock; else 0"};
inline constexpr Quantity kClockOffset = {"clock_offset", "s", Scope::kHost,
                                          "clock offset that the time daemon still has to correct"};
inline constexpr Quantity kClockMostError = {"clock_most_error", "s", Scope::kHost,
                                             "largest clock error, as the time daemon states it"};
inline constexpr Quantity kClockEstimatedError = {
    "clock_estimated_error", "s", Scope::kHost,
    "estimated clock error, as the time daemon states it"};
inline constexpr Quantity kCgroupThrottled = {
    "cgroup_throttled", "s",
    Scope::kHost,       "time for which the agent's control group was throttled",
    Kind::kCounter,     {"version"}};
inline constexpr Quantity kCgroupCpu = {"cgroup_cpu",   "s",
                                        Scope::kHost,   "CPU time of the agent's control group",
                                        Kind::kCounter, {"version"}};
inline constexpr Quantity kCgroupMemory = {"cgroup_memory", "bytes",
                                           Scope::kHost,    "memory of the agent's control group",
                                           Kind::kGauge,    {"version"}};
inline constexpr Quantity kPowerEnergy = {
    "power_energy", "J",
    Scope::kHost,   "energy used by a zone of the processors (RAPL)",
    Kind::kCounter, {"zone", "name"}};
inline constexpr Quantity kSensorTemperature = {
    "sensor",     "C",
    Scope::kHost, "temperature of a sensor of the board",
    Kind::kGauge, {"chip", "name", "sensor"}};
inline constexpr Quantity kSensorPower = {"sensor",     "W",
                                          Scope::kHost, "power of a sensor of the board",
                                          Kind::kGauge, {"chip", "name", "sensor"}};
inline constexpr Quantity kSensorFan = {"sensor_fan", "rpm",
                                        Scope::kHost, "revolutions per minute of a fan",
                                        Kind::kGauge, {"chip", "name", "sensor"}};
inline constexpr Quantity kPerfEvents = {
    "perf_events",  "",       Scope::kHost, "perf events of all cores since the agent started",
    Kind::kCounter, {"event"}};

// Of a process.
inline constexpr Quantity kProcessCpu = {
    "process_cpu",  "s",     Scope::kProcess, "CPU time of all threads of the process, by mode",
    Kind::kCounter, {"mode"}};
inline constexpr Quantity kProcessResident = {"process_resident", "bytes", Scope::kProcess,
                                              "resident memory of the process"};
inline constexpr Quantity kProcessThreads = {"process_threads", "", Scope::kProcess,
                                             "threads of the process"};
inline constexpr Quantity kProcessMajorFaults = {"process_major_faults", "", Scope::kProcess,
                                                 "pages that the process had to read from a disk",
                                                 Kind::kCounter};
inline constexpr Quantity kProcessContextSwitches = {
    "process_context_switches",
    "",
    Scope::kProcess,
    "context switches of the main thread: voluntary when it waits, involuntary when another takes "
    "its core",
    Kind::kCounter,
    {"kind"}};
inline constexpr Quantity kProcessIo = {
    "process_io",    "bytes",
    Scope::kProcess, "bytes that the process read and wrote, including files in the page cache",
    Kind::kCounter,  {"direction"}};
inline constexpr Quantity kProcessRunQueue = {
    "process_run_queue", "s", Scope::kProcess,
    "time in which the main thread could run and had no core", Kind::kCounter};
// The name given by a job is a label: it may be anything.
inline constexpr Quantity kJobValue = {
    "job_value",  "",      Scope::kJob, "what a job told of itself last, within a minute",
    Kind::kGauge, {"name"}};

// Of the agent itself.
inline constexpr Quantity kAgentProcesses = {"agent_training_processes", "", Scope::kAgent,
                                             "training processes that ask the agent for work"};
inline constexpr Quantity kAgentDatagrams = {
    "agent_datagrams", "",
    Scope::kAgent,     "datagrams of Kineto's socket: taken, refused, not answered",
    Kind::kCounter,    {"result"}};
inline constexpr Quantity kAgentRequests = {
    "agent_requests", "",        Scope::kAgent, "RPC requests: answered, refused, turned away",
    Kind::kCounter,   {"result"}};
inline constexpr Quantity kAgentMembers = {"agent_capture_members",
                                           "",
                                           Scope::kAgent,
                                           "processes of captures that are kept, by state",
                                           Kind::kGauge,
                                           {"state"}};
inline constexpr Quantity kAgentSourceUp = {
    "agent_source_up", "",
    Scope::kAgent,     "1: the source gave something when it was read last",
    Kind::kGauge,      {"source"}};
inline constexpr Quantity kAgentSourceErrors = {
    "agent_source_errors", "", Scope::kAgent, "reads that failed", Kind::kCounter, {"source"}};
inline constexpr Quantity kAgentSourceUnreadable = {"agent_source_unreadable",
                                                    "",
                                                    Scope::kAgent,
                                                    "fields that were no numbers",
                                                    Kind::kCounter,
                                                    {"source"}};
inline constexpr Quantity kAgentSpecFaults = {
    "agent_spec_faults",
    "",
    Scope::kAgent,
    "readings and computed values of a specification's devices that failed, by class",
    Kind::kCounter,
    {"class", "fault"}};
inline constexpr Quantity kAgentSpecsRefused = {
    "agent_specs_refused", "", Scope::kAgent,
    "specifications of devices that are refused as they are now"};
inline constexpr Quantity kAgentSinkSent = {
    "agent_sink_sent", "", Scope::kAgent, "readings that a sink took", Kind::kCounter, {"sink"}};
inline constexpr Quantity kAgentSinkLost = {
    "agent_sink_lost", "",
    Scope::kAgent,     "readings that a sink did not take and its buffer did not hold",
    Kind::kCounter,    {"sink"}};
inline constexpr Quantity kAgentSinkQueued = {"agent_sink_queued", "bytes",
                                              Scope::kAgent,       "bytes that wait for a sink",
                                              Kind::kGauge,        {"sink"}};
inline constexpr Quantity kAgentBuildInfo = {
    "agent_build_info", "",         Scope::kAgent, "1, labelled with the agent's version",
    Kind::kGauge,       {"version"}};
inline constexpr Quantity kAgentStartTime = {"agent_start_time", "s", Scope::kAgent,
                                             "time at which the agent started, since 1970"};
inline constexpr Quantity kAgentCpu = {"agent_cpu", "s", Scope::kAgent,
                                       "CPU time that the agent used", Kind::kCounter};
inline constexpr Quantity kAgentResident = {"agent_resident", "bytes", Scope::kAgent,
                                            "resident memory of the agent"};
inline constexpr Quantity kAgentDescriptors = {"agent_open_descriptors", "", Scope::kAgent,
                                               "open files and sockets of the agent"};
inline constexpr Quantity kAgentDeliveries = {
    "agent_deliveries", "",
    Scope::kAgent,      "deliveries of the last 1,000 traces: queued, sent, failed",
    Kind::kGauge,       {"state"}};
inline constexpr Quantity kAgentSpool = {"agent_spool", "bytes", Scope::kAgent,
                                         "packed traces on their way to the server"};
inline constexpr Quantity kAgentCentralSettings = {
    "agent_central_settings", "", Scope::kAgent,
    "settings of the server that are in force, without those that the host's own replace"};
inline constexpr Quantity kAgentCentralRefused = {
    "agent_central_settings_refused", "", Scope::kAgent,
    "1: the last settings of the server were refused, and those before stay"};
inline constexpr Quantity kAgentPodsKnown = {"agent_pods_known", "", Scope::kAgent,
                                             "pods whose names are known (kubernetes.pods)"};
inline constexpr Quantity kAgentServingKept = {"agent_serving_kept",
                                               "bytes",
                                               Scope::kAgent,
                                               "scrapes of a serving program that are kept for "
                                               "captures (serving.pages)",
                                               Kind::kGauge,
                                               {"instance"}};

// All of the above, in that order.
std::span<const Quantity* const> AgentMetrics();

}  // namespace rankscope::quantity
