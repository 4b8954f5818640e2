// Sources by trees of files and calls that the test makes up.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>

#include "agent/telemetry/ethtool_source.h"
#include "agent/telemetry/machine_sources.h"
#include "agent/telemetry/metric_of.h"
#include "agent/telemetry/perf_source.h"
#include "agent/telemetry/power_sources.h"
#include "agent/telemetry/process_source.h"
#include "agent/telemetry/selector.h"

namespace rankscope::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSubsetOf;

class SourcesTest : public ::testing::Test {
 protected:
  SourcesTest() : root_(testing::TempDir() + "/sources" + std::to_string(getpid())) {}
  ~SourcesTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, std::string_view text) const {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  // "name{labels} value" of each reading.
  std::vector<std::string> Read(const Source& source) {
    Readings readings;
    status_ = source.read(root_, readings);
    unreadable_ = readings.unreadable;
    std::vector<std::string> lines;
    for (const Reading& one : readings.all) {
      EXPECT_THAT(LabelsOf(one), IsSubsetOf(DeclaredFor(one)));
      lines.push_back(
          fmt::format("{}{} {}", one.metric->name.substr(10), ToText(one.labels), one.value));
    }
    return lines;
  }
  static std::vector<std::string_view> LabelsOf(const Reading& reading) {
    std::vector<std::string_view> labels;
    for (const auto& [key, value] : reading.labels) labels.push_back(key);
    return labels;
  }
  static std::vector<std::string_view> DeclaredFor(const Reading& reading) {
    for (const quantity::Quantity* const one : quantity::AgentMetrics()) {
      if (&MetricOf(*one) == reading.metric) return quantity::LabelsOf(*one);
    }
    return {};
  }
  static Source HostSource(std::string_view name) {
    for (const Source& one : HostSources()) {
      if (one.name == name) return one;
    }
    return {};
  }

  const std::string root_;
  Status status_;
  std::uint64_t unreadable_ = 0;
};

TEST_F(SourcesTest, ProcessesOfWhomItIsAsked) {
  Write("/proc/47/stat",
        "47 (python (a) b) S 1 1 1 0 -1 4 5 6 7 8 300 150 0 0 20 0 33 0 99 1000 250 "
        "18446744073709551615\n");
  Write("/proc/47/status",
        "Name:\tx\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t34\n");
  Write("/proc/47/io", "rchar: 1000\nwchar: 2000\nread_bytes: 5\n");
  Write("/proc/47/schedstat", "5000000000 2500000000 77\n");
  Write("/proc/48/stat", "48 (dead) Z 1 1 1 0 -1 4 5 6 7 8 300 150 0 0 20 0 33 0 99 1000 250\n");
  Write("/proc/49/stat", "half");
  const Source source = ProcessSource([] {
    return std::vector<WatchedProcess>{{47, {{"job", "a"}}}, {48, {}}, {49, {}}, {50, {}}};
  });
  const double tick = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const std::string who = "pid=\"47\",command=\"python (a) b\",job=\"a\"";
  EXPECT_THAT(
      Read(source),
      ElementsAre(
          fmt::format("process_cpu_seconds_total{{{},mode=\"user\"}} {}", who, 300 * tick),
          fmt::format("process_cpu_seconds_total{{{},mode=\"system\"}} {}", who, 150 * tick),
          fmt::format("process_major_faults_total{{{}}} 7", who),
          fmt::format("process_threads{{{}}} 33", who),
          fmt::format("process_resident_bytes{{{}}} {}", who, 250 * sysconf(_SC_PAGESIZE)),
          fmt::format("process_context_switches_total{{{},kind=\"voluntary\"}} 12", who),
          fmt::format("process_context_switches_total{{{},kind=\"involuntary\"}} 34", who),
          fmt::format("process_io_bytes_total{{{},direction=\"read\"}} 1000", who),
          fmt::format("process_io_bytes_total{{{},direction=\"write\"}} 2000", who),
          fmt::format("process_run_queue_seconds_total{{{}}} 2.5", who)));
  EXPECT_TRUE(status_.ok());
}

TEST_F(SourcesTest, SoftirqsOverCores) {
  Write("/proc/softirqs",
        "                    CPU0       CPU1\n          HI:          1          2\n      NET_RX:   "
        "      30         12\n       TIMER:      x    1\n");
  EXPECT_THAT(Read(HostSource("softirq")),
              ElementsAre("softirqs_total{kind=\"HI\"} 3", "softirqs_total{kind=\"NET_RX\"} 42"));
  EXPECT_EQ(unreadable_, 1U);
}

TEST_F(SourcesTest, TcpByTheKernelsNames) {
  Write("/proc/net/snmp",
        "Ip: Forwarding DefaultTTL\nIp: 1 64\n"
        "Tcp: RtoAlgorithm AttemptFails EstabResets CurrEstab InSegs OutSegs RetransSegs InErrs\n"
        "Tcp: 1 4 5 42 1000 2000 17 x\n");
  Write("/proc/net/netstat",
        "TcpExt: SyncookiesSent ListenDrops TCPTimeouts\nTcpExt: 9 2 3\nIpExt: A\nIpExt: 1\n");
  EXPECT_THAT(Read(HostSource("tcp")),
              ElementsAre("tcp_segments_total{direction=\"receive\"} 1000",
                          "tcp_segments_total{direction=\"transmit\"} 2000",
                          "tcp_retransmits_total 17", "tcp_events_total{event=\"AttemptFails\"} 4",
                          "tcp_events_total{event=\"EstabResets\"} 5",
                          "tcp_events_total{event=\"TCPTimeouts\"} 3",
                          "tcp_events_total{event=\"ListenDrops\"} 2"));
  EXPECT_EQ(unreadable_, 1U) << "InErrs is no number, and not 0";
  // Of lines that do not fit together no number is told.
  Write("/proc/net/snmp", "Tcp: InSegs OutSegs\nTcp: 1\n");
  Read(HostSource("tcp"));
  EXPECT_EQ(status_.code(), StatusCode::kNotFound);
}

TEST_F(SourcesTest, SocketsAndTheirMemory) {
  Write("/proc/net/sockstat",
        "sockets: used 293\nTCP: inuse 5 orphan 0 tw 2 mem 3\nFRAG: inuse 0 memory 0\nUDP:\n");
  Write("/proc/net/sockstat6", "TCP6: inuse 3\n");
  EXPECT_THAT(
      Read(HostSource("sockstat")),
      ElementsAre(
          "sockets{protocol=\"sockets\",kind=\"used\"} 293",
          "sockets{protocol=\"TCP\",kind=\"inuse\"} 5",
          "sockets{protocol=\"TCP\",kind=\"orphan\"} 0", "sockets{protocol=\"TCP\",kind=\"tw\"} 2",
          fmt::format("socket_memory_bytes{{protocol=\"TCP\"}} {}", 3 * sysconf(_SC_PAGESIZE)),
          "sockets{protocol=\"FRAG\",kind=\"inuse\"} 0",
          "sockets{protocol=\"TCP6\",kind=\"inuse\"} 3"));
}

TEST_F(SourcesTest, NfsByMountAndOperation) {
  Write("/proc/self/mountstats", "device proc mounted on /proc with fstype proc\n");
  EXPECT_THAT(Read(HostSource("nfs")), IsEmpty());
  EXPECT_EQ(status_.code(), StatusCode::kNotFound);
  Write("/proc/self/mountstats",
        "device proc mounted on /proc with fstype proc\n"
        "device store:/data mounted on /data with fstype nfs4 statvers=1.1\n"
        "\topts:\trw,vers=4.2\n"
        "\tbytes:\t1 2 3 4 5000 6000 7 8\n"
        "\tRPC iostats version: 1.1  p/v: 100003/4 (nfs)\n"
        "\txprt:\ttcp 0 1 2 3 4 5 6 7 8 9\n"
        "\tper-op statistics\n"
        "\t        NULL: 1 1 0 44 24 0 0 0 0\n"
        "\t        READ: 10 12 1 100 200 3 40 2500 0\n"
        "\t       WRITE: 4 4 x 100 200 3 40 500 0\n"
        "device tmpfs mounted on /dev with fstype tmpfs\n"
        "\tbytes:\t1 2 3 4 5 6 7 8\n");
  EXPECT_THAT(Read(HostSource("nfs")),
              ElementsAre("nfs_bytes_total{mount=\"/data\",direction=\"read\"} 5000",
                          "nfs_bytes_total{mount=\"/data\",direction=\"write\"} 6000",
                          "nfs_operations_total{mount=\"/data\",operation=\"READ\"} 10",
                          "nfs_transmissions_total{mount=\"/data\",operation=\"READ\"} 12",
                          "nfs_timeouts_total{mount=\"/data\",operation=\"READ\"} 1",
                          "nfs_time_seconds_total{mount=\"/data\",operation=\"READ\"} 2.5",
                          "nfs_operations_total{mount=\"/data\",operation=\"WRITE\"} 4",
                          "nfs_transmissions_total{mount=\"/data\",operation=\"WRITE\"} 4",
                          "nfs_time_seconds_total{mount=\"/data\",operation=\"WRITE\"} 0.5"));
  EXPECT_EQ(unreadable_, 1U);
  EXPECT_TRUE(status_.ok());
}

TEST_F(SourcesTest, FileSystemsWithInodesAndWhetherTheyTakeWrites) {
  Write("/proc/mounts",
        "proc /proc proc rw 0 0\n/dev/sda1 / ext4 rw,relatime,errors=remount-ro 0 0\n"
        "/dev/sdb1 /gone xfs ro,relatime 0 0\nserver:/x /net nfs4 ro 0 0\nshort line\n");
  const std::vector<std::string> lines = Read(HostSource("filesystem"));
  EXPECT_THAT(lines, testing::IsSupersetOf(
                         {"filesystem_read_only{mount=\"/\",type=\"ext4\"} 0",
                          // What cannot be asked for its size is still known to take no writes.
                          "filesystem_read_only{mount=\"/gone\",type=\"xfs\"} 1"}));
  EXPECT_THAT(lines, testing::Contains(testing::StartsWith(
                         "filesystem_bytes{mount=\"/\",type=\"ext4\",kind=\"size\"} ")));
  EXPECT_THAT(lines, testing::Not(testing::Contains(HasSubstr("/net"))));
  EXPECT_THAT(lines, testing::Not(testing::Contains(testing::EndsWith("\"} -1"))));
}

TEST_F(SourcesTest, ErrorsOfMemoryByController) {
  EXPECT_THAT(Read(HostSource("edac")), IsEmpty());
  EXPECT_EQ(status_.code(), StatusCode::kNotFound);
  EXPECT_THAT(status_.message(), HasSubstr("ECC"));
  Write("/sys/devices/system/edac/mc/power/control", "auto\n");
  Write("/sys/devices/system/edac/mc/mc0/ce_count", "12\n");
  Write("/sys/devices/system/edac/mc/mc0/ue_count", "0\n");
  Write("/sys/devices/system/edac/mc/mc1/ce_count", "junk\n");
  EXPECT_THAT(Read(HostSource("edac")),
              ElementsAre("edac_errors_total{controller=\"mc0\",kind=\"corrected\"} 12",
                          "edac_errors_total{controller=\"mc0\",kind=\"uncorrected\"} 0"));
  EXPECT_EQ(unreadable_, 1U);
}

TEST_F(SourcesTest, FrequenciesOfCores) {
  Write("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  Write("/sys/devices/system/cpu/cpu0/topology/core_id", "0\n");
  EXPECT_THAT(Read(HostSource("cpufreq")), IsEmpty());
  EXPECT_EQ(status_.code(), StatusCode::kNotFound);
  Write("/sys/devices/system/cpu/cpu12/cpufreq/scaling_cur_freq", "2400000\n");
  Write("/sys/devices/system/cpu/cpu12/cpufreq/cpuinfo_max_freq", "3800000\n");
  Write("/sys/devices/system/cpu/cpu12/thermal_throttle/core_throttle_count", "7\n");
  EXPECT_THAT(Read(HostSource("cpufreq")),
              ElementsAre("cpu_frequency_hertz{cpu=\"12\"} 2400000000",
                          "cpu_frequency_max_hertz{cpu=\"12\"} 3800000000",
                          "cpu_throttles_total{cpu=\"12\"} 7"));
}

TEST_F(SourcesTest, AClockThatNobodySteersHasNoOffset) {
  KernelClock clock{
      .is_synchronised = true, .offset_s = -0.25, .most_error_s = 0.5, .estimated_error_s = 0.125};
  const Source source = ClockSource([&]() -> Result<KernelClock> { return clock; });
  EXPECT_THAT(Read(source),
              ElementsAre("clock_synchronised 1", "clock_offset_seconds -0.25",
                          "clock_most_error_seconds 0.5", "clock_estimated_error_seconds 0.125"));
  clock.is_synchronised = false;
  EXPECT_THAT(Read(source), ElementsAre("clock_synchronised 0"));
  const Source refused =
      ClockSource([]() -> Result<KernelClock> { return Error(StatusCode::kIo, "not permitted"); });
  EXPECT_THAT(Read(refused), IsEmpty());
  EXPECT_EQ(status_.message(), "not permitted");
}

TEST_F(SourcesTest, EnergyThatWraps) {
  const Source source = PowercapSource();
  EXPECT_THAT(Read(source), IsEmpty());
  EXPECT_EQ(status_.code(), StatusCode::kNotFound);
  Write("/sys/class/powercap/intel-rapl/enabled", "1\n");
  Write("/sys/class/powercap/intel-rapl:0/name", "package-0\n");
  Write("/sys/class/powercap/intel-rapl:0/max_energy_range_uj", "10000000\n");
  Write("/sys/class/powercap/intel-rapl:0/energy_uj", "9000000\n");
  Write("/sys/class/powercap/intel-rapl:0:1/name", "dram\n");
  Write("/sys/class/powercap/intel-rapl:0:1/energy_uj", "junk\n");
  EXPECT_THAT(Read(source),
              ElementsAre("power_energy_joules_total{zone=\"intel-rapl:0\",name=\"package-0\"} 9"));
  EXPECT_EQ(unreadable_, 1U);
  Write("/sys/class/powercap/intel-rapl:0/energy_uj", "500000\n");
  EXPECT_THAT(
      Read(source),
      ElementsAre("power_energy_joules_total{zone=\"intel-rapl:0\",name=\"package-0\"} 10.5"));
}

TEST_F(SourcesTest, SensorsOfTheBoard) {
  Write("/sys/class/hwmon/hwmon0/name", "coretemp\n");
  Write("/sys/class/hwmon/hwmon0/temp1_input", "45500\n");
  Write("/sys/class/hwmon/hwmon0/temp1_label", "Package id 0\n");
  Write("/sys/class/hwmon/hwmon0/temp1_crit", "100000\n");
  Write("/sys/class/hwmon/hwmon0/fan2_input", "1200\n");
  Write("/sys/class/hwmon/hwmon0/power1_average", "250000000\n");
  EXPECT_THAT(
      Read(HostSource("hwmon")),
      ElementsAre(
          "sensor_fan_rpm{chip=\"hwmon0\",name=\"coretemp\",sensor=\"fan2\"} 1200",
          "sensor_watts{chip=\"hwmon0\",name=\"coretemp\",sensor=\"power1\"} 250",
          "sensor_celsius{chip=\"hwmon0\",name=\"coretemp\",sensor=\"Package id 0\"} 45.5"));
}

TEST_F(SourcesTest, WhatDriversOfNetworksCount) {
  std::map<std::string, Result<EthtoolStatistics>> told;
  told.emplace(
      "eth0",
      EthtoolStatistics{
          {"rx_packets", 5}, {"rx_prio3_pause", 7}, {"rx_discards_phy", 8}, {"rx7_xdp_drop", 9}});
  told.emplace("eth1", Error(StatusCode::kIo, "ethtool: eth1: no"));
  const Source source = EthtoolSource([&](const std::string& device) { return told.at(device); });
  EXPECT_THAT(Read(source), IsEmpty());
  EXPECT_EQ(status_.code(), StatusCode::kNotFound);
  Write("/sys/class/net/lo/mtu", "1\n");
  Write("/sys/class/net/eth0/device/vendor", "x\n");
  Write("/sys/class/net/eth1/device/vendor", "x\n");
  EXPECT_THAT(
      Read(source),
      ElementsAre("network_statistic_total{device=\"eth0\",statistic=\"rx_prio3_pause\"} 7",
                  "network_statistic_total{device=\"eth0\",statistic=\"rx_discards_phy\"} 8"));
  EXPECT_TRUE(status_.ok()) << "one that has some is enough";
  told.erase("eth0");
  told.emplace("eth0", Error(StatusCode::kNotFound, "none"));
  EXPECT_THAT(Read(source), IsEmpty());
  EXPECT_THAT(status_.message(), HasSubstr("eth1: no"));
  // The kernel's own answer, whatever it is, is a list or a sentence.
  const auto real = ReadEthtool("lo");
  if (!real.ok()) {
    EXPECT_THAT(real.status().message(), HasSubstr("ethtool: lo"));
  }
  EXPECT_FALSE(ReadEthtool("no-such-device").ok());
}

// A descriptor that gives the same number each time that it is read.
int FileOf(const std::string& path, std::uint64_t value) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&value), sizeof(value));
  return open(path.c_str(), O_RDONLY | O_CLOEXEC);
}

TEST_F(SourcesTest, PerfEventsAreSummedOverCores) {
  std::filesystem::create_directories(root_);
  const Source source = PerfSource(
      [&](const PerfEvent& event, int cpu) {
        if (event.type == 0) return -ENOENT;  // PERF_TYPE_HARDWARE: none here
        if (event.config != 4) return -EACCES;
        if (cpu == 1) return -ENODEV;
        return FileOf(root_ + "/" + std::to_string(cpu), static_cast<std::uint64_t>(cpu) + 10);
      },
      3);
  EXPECT_THAT(Read(source), ElementsAre("perf_events_total{event=\"cpu_migrations\"} 22"));
  const Source refused = PerfSource([](const PerfEvent&, int) { return -EACCES; }, 3);
  EXPECT_THAT(Read(refused), IsEmpty());
  EXPECT_EQ(status_.code(), StatusCode::kNotFound);
  EXPECT_THAT(status_.message(), HasSubstr("Permission denied: it needs CAP_PERFMON"));
  // The kernel's own: counts something, or says why not.
  const Source real = PerfSource(OpenPerfEvent, 1);
  const std::vector<std::string> lines = Read(real);
  EXPECT_EQ(lines.empty(), !status_.ok());
}

}  // namespace
}  // namespace rankscope::agent
