// What /proc and /sys tell of the host. Names follow node_exporter's where it has them.
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "agent/base/fields.h"
#include "agent/base/small_file.h"
#include "agent/telemetry/machine_sources.h"
#include "agent/telemetry/network_sources.h"
#include "agent/telemetry/power_sources.h"
#include "agent/telemetry/reading_files.h"
#include "agent/telemetry/sample.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

namespace q = quantity;

Status ReadCpu(const std::string& root, Readings& readings) {
  static constexpr std::array<std::string_view, 10> kModes = {
      "user", "nice", "system", "idle", "iowait", "irq", "softirq", "steal", "guest", "guest_nice"};
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(root + "/proc/stat"));
  const double tick = 1.0 / static_cast<double>(std::max(1L, sysconf(_SC_CLK_TCK)));
  ForEachLine(text, [&](std::string_view line) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() < 2) return;
    if (words[0].starts_with("cpu") && words[0].size() > 3) {
      for (std::size_t i = 0; i < kModes.size() && i + 1 < words.size(); ++i)
        AddWord(readings, q::kCpu,
                {{"cpu", std::string(words[0].substr(3))}, {"mode", std::string(kModes[i])}},
                words[i + 1], tick);
    }
    if (words[0] == "ctxt") AddWord(readings, q::kContextSwitches, {}, words[1]);
    if (words[0] == "processes") AddWord(readings, q::kForks, {}, words[1]);
    if (words[0] == "procs_running") AddWord(readings, q::kProcessesRunning, {}, words[1]);
    if (words[0] == "procs_blocked") AddWord(readings, q::kProcessesBlocked, {}, words[1]);
  });
  return OkStatus();
}

// A line for each kind, a column for each core.
Status ReadSoftirqs(const std::string& root, Readings& readings) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(root + "/proc/softirqs"));
  ForEachLine(text, [&](std::string_view line) {
    const std::size_t colon = line.find(':');
    const std::vector<std::string_view> kind = Words(line.substr(0, colon));
    if (colon == std::string_view::npos || kind.size() != 1) return;
    double sum = 0;
    for (const std::string_view word : Words(line.substr(colon + 1))) {
      const auto value = NumberOf(word);
      if (!value) {
        ++readings.unreadable;
        return;
      }
      sum += *value;
    }
    readings.Add(q::kSoftirqs, {{"kind", std::string(kind[0])}}, sum);
  });
  return OkStatus();
}

Status ReadLoad(const std::string& root, Readings& readings) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(root + "/proc/loadavg"));
  const std::vector<std::string_view> words = Words(text);
  static constexpr std::array<std::string_view, 3> kMinutes = {"1", "5", "15"};
  for (std::size_t i = 0; i < kMinutes.size() && i < words.size(); ++i)
    AddWord(readings, q::kLoad, {{"minutes", std::string(kMinutes[i])}}, words[i]);
  return OkStatus();
}

Status ReadMemory(const std::string& root, Readings& readings) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(root + "/proc/meminfo"));
  ForEachLine(text, [&](std::string_view line) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() < 2 || !words[0].ends_with(':')) return;
    const std::string name(words[0].substr(0, words[0].size() - 1));
    const bool is_kib = words.size() > 2 && words[2] == "kB";
    AddWord(readings, is_kib ? q::kMemory : q::kHugePages, {{"kind", name}}, words[1],
            is_kib ? 1024 : 1);
  });
  return OkStatus();
}

Status ReadVmstat(const std::string& root, Readings& readings) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(root + "/proc/vmstat"));
  ForEachLine(text, [&](std::string_view line) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() != 2) return;
    if (words[0] == "pgfault") AddWord(readings, q::kPageFaults, {{"kind", "all"}}, words[1]);
    if (words[0] == "pgmajfault") AddWord(readings, q::kPageFaults, {{"kind", "major"}}, words[1]);
    if (words[0] == "pswpin") AddWord(readings, q::kSwappedPages, {{"direction", "in"}}, words[1]);
    if (words[0] == "pswpout")
      AddWord(readings, q::kSwappedPages, {{"direction", "out"}}, words[1]);
    if (words[0] == "oom_kill") AddWord(readings, q::kOomKills, {}, words[1]);
  });
  return OkStatus();
}

Status ReadPressure(const std::string& root, Readings& readings) {
  bool any = false;
  for (const std::string_view resource : {"cpu", "memory", "io"}) {
    const Result<std::string> text =
        ReadSmallFile(root + "/proc/pressure/" + std::string(resource));
    if (!text.ok()) continue;
    any = true;
    ForEachLine(*text, [&](std::string_view line) {
      const std::vector<std::string_view> words = Words(line);
      for (const std::string_view word : words) {
        if (word.starts_with("total="))
          AddWord(readings, q::kPressure,
                  {{"resource", std::string(resource)}, {"kind", std::string(words[0])}},
                  word.substr(6), 1e-6);
      }
    });
  }
  if (any) return OkStatus();
  return Error(StatusCode::kNotFound,
               "{}/proc/pressure: not there: the kernel was started without psi=1", root);
}

Status ReadDisks(const std::string& root, Readings& readings) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(root + "/proc/diskstats"));
  ForEachLine(text, [&](std::string_view line) {
    const std::vector<std::string_view> words = Words(line);
    // Sectors are of 512 bytes, whatever the disk's own are.
    if (words.size() < 13 || words[2].starts_with("loop") || words[2].starts_with("ram")) return;
    const std::string disk(words[2]);
    AddWord(readings, q::kDiskOperations, {{"disk", disk}, {"direction", "read"}}, words[3]);
    AddWord(readings, q::kDiskBytes, {{"disk", disk}, {"direction", "read"}}, words[5], 512);
    AddWord(readings, q::kDiskOperations, {{"disk", disk}, {"direction", "write"}}, words[7]);
    AddWord(readings, q::kDiskBytes, {{"disk", disk}, {"direction", "write"}}, words[9], 512);
    AddWord(readings, q::kDiskBusy, {{"disk", disk}}, words[12], 1e-3);
  });
  return OkStatus();
}

Status ReadNetwork(const std::string& root, Readings& readings) {
  static constexpr std::array<const quantity::Quantity*, 4> kCounters = {
      &q::kNetworkBytes, &q::kNetworkPackets, &q::kNetworkErrors, &q::kNetworkDrops};
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(root + "/proc/net/dev"));
  ForEachLine(text, [&](std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return;
    const std::vector<std::string_view> name = Words(line.substr(0, colon));
    const std::vector<std::string_view> words = Words(line.substr(colon + 1));
    if (name.size() != 1 || words.size() < 12) return;
    const std::string device(name[0]);
    for (std::size_t i = 0; i < kCounters.size(); ++i) {
      AddWord(readings, *kCounters[i], {{"device", device}, {"direction", "receive"}}, words[i]);
      AddWord(readings, *kCounters[i], {{"device", device}, {"direction", "transmit"}},
              words[i + 8]);
    }
    // In Mbit/s; -1 where there is none.
    const Result<std::string> speed = ReadSmallFile(root + "/sys/class/net/" + device + "/speed");
    if (!speed.ok()) return;
    const auto mbits = NumberOf(*speed);
    if (mbits && *mbits > 0) readings.Add(q::kNetworkSpeed, {{"device", device}}, *mbits * 1e6 / 8);
  });
  return OkStatus();
}

Status ReadRdma(const std::string& root, Readings& readings) {
  const std::string folder = root + "/sys/class/infiniband";
  const std::vector<std::string> devices = NamesIn(folder);
  if (devices.empty()) return Error(StatusCode::kNotFound, "{}: no device", folder);
  for (const std::string& device : devices) {
    for (const std::string& port : NamesIn(folder + "/" + device + "/ports")) {
      const std::string at = folder + "/" + device + "/ports/" + port;
      const auto labels = [&](std::string_view key, std::string_view value) {
        return Labels{{"device", device}, {"port", port}, {std::string(key), std::string(value)}};
      };
      // In words of four bytes.
      AddFile(readings, q::kRdmaBytes, labels("direction", "transmit"),
              at + "/counters/port_xmit_data", 4);
      AddFile(readings, q::kRdmaBytes, labels("direction", "receive"),
              at + "/counters/port_rcv_data", 4);
      for (const std::string_view name :
           {"port_xmit_packets", "port_rcv_packets", "port_xmit_discards", "port_rcv_errors",
            "port_xmit_wait", "link_downed", "symbol_error"})
        AddFile(readings, q::kRdmaEvents, labels("event", name),
                at + "/counters/" + std::string(name));
      for (const std::string& name : NamesIn(at + "/hw_counters")) {
        if (name != "lifespan")
          AddFile(readings, q::kRdmaEvents, labels("event", name), at + "/hw_counters/" + name);
      }
    }
  }
  return OkStatus();
}

Status ReadThermal(const std::string& root, Readings& readings) {
  const std::string folder = root + "/sys/class/thermal";
  bool any = false;
  for (const std::string& zone : NamesIn(folder)) {
    if (!zone.starts_with("thermal_zone")) continue;
    any = true;
    std::string type = zone;
    if (const auto text = ReadSmallFile(folder + "/" + zone + "/type"); text.ok())
      type = text->substr(0, text->find('\n'));
    AddFile(readings, q::kTemperature, {{"zone", zone}, {"type", type}},
            folder + "/" + zone + "/temp", 1e-3);
  }
  return any ? OkStatus() : Error(StatusCode::kNotFound, "{}: no zone", folder);
}

Status ReadNuma(const std::string& root, Readings& readings) {
  const std::string folder = root + "/sys/devices/system/node";
  bool any = false;
  for (const std::string& node : NamesIn(folder)) {
    if (!node.starts_with("node")) continue;
    const Result<std::string> text = ReadSmallFile(folder + "/" + node + "/meminfo");
    if (!text.ok()) continue;
    any = true;
    ForEachLine(*text, [&](std::string_view line) {
      // "Node 0 MemTotal:  8160492 kB"
      const std::vector<std::string_view> words = Words(line);
      if (words.size() != 5 || words[4] != "kB" || !words[2].ends_with(':')) return;
      if (words[2] != "MemTotal:" && words[2] != "MemFree:" && words[2] != "MemUsed:") return;
      AddWord(readings, q::kNumaMemory,
              {{"node", node.substr(4)},
               {"kind", std::string(words[2].substr(0, words[2].size() - 1))}},
              words[3], 1024);
    });
  }
  return any ? OkStatus() : Error(StatusCode::kNotFound, "{}: no node", folder);
}

Status ReadFilesystems(const std::string& root, Readings& readings) {
  RS_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(root + "/proc/mounts"));
  static constexpr std::array<std::string_view, 9> kReal = {
      "ext4", "ext3", "xfs", "btrfs", "overlay", "tmpfs", "zfs", "f2fs", "ext2"};
  // Network file systems that hang would hold the thread, so they are not asked.
  std::size_t asked = 0;
  ForEachLine(text, [&](std::string_view line) {
    const std::vector<std::string_view> words = Words(line);
    if (words.size() < 4 || std::ranges::find(kReal, words[2]) == kReal.end() || asked >= 64)
      return;
    ++asked;
    struct statvfs status {};
    const std::string place(words[1]);
    const std::string type(words[2]);
    // The first of the options: "ro,relatime".
    readings.Add(q::kFilesystemReadOnly, {{"mount", place}, {"type", type}},
                 words[3] == "ro" || words[3].starts_with("ro,") ? 1 : 0);
    if (statvfs((root + place).c_str(), &status) != 0 || status.f_blocks == 0) return;
    const auto labels = [&](std::string_view kind) {
      return Labels{{"mount", place}, {"type", type}, {"kind", std::string(kind)}};
    };
    const auto add = [&](std::string_view kind, auto blocks) {
      readings.Add(q::kFilesystem, labels(kind),
                   static_cast<double>(blocks) * static_cast<double>(status.f_frsize));
    };
    add("size", status.f_blocks);
    add("free", status.f_bfree);
    add("available", status.f_bavail);
    // Those that make inodes as they need them, such as btrfs, say 0.
    if (status.f_files == 0) return;
    readings.Add(q::kFilesystemInodes, labels("size"), static_cast<double>(status.f_files));
    readings.Add(q::kFilesystemInodes, labels("free"), static_cast<double>(status.f_ffree));
  });
  return OkStatus();
}

// What limits the host's own tasks: version 2 at the root of its tree, else version 1.
Status ReadCgroup(const std::string& root, Readings& readings) {
  RS_ASSIGN_OR_RETURN(const std::string own, ReadSmallFile(root + "/proc/self/cgroup"));
  bool any = false;
  std::string version = "2";
  const auto add_stat = [&](const std::string& path, std::string_view key,
                            const quantity::Quantity& number, double factor) {
    const Result<std::string> text = ReadSmallFile(path);
    if (!text.ok()) return;
    ForEachLine(*text, [&](std::string_view line) {
      const std::vector<std::string_view> words = Words(line);
      if (words.size() != 2 || words[0] != key) return;
      any = true;
      AddWord(readings, number, {{"version", version}}, words[1], factor);
    });
  };
  const auto add_number = [&](const std::string& path, const quantity::Quantity& number,
                              double factor) {
    const std::size_t before = readings.all.size();
    AddFile(readings, number, {{"version", version}}, path, factor);
    any = any || readings.all.size() > before;
  };
  ForEachLine(own, [&](std::string_view line) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) return;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string path(line.substr(second + 1));
    if (path.find("..") != std::string::npos) return;
    const std::string tree = root + "/sys/fs/cgroup";
    version = controllers.empty() ? "2" : "1";
    if (controllers.empty()) {
      for (const std::string& base : {tree, tree + "/unified"}) {
        add_stat(base + path + "/cpu.stat", "usage_usec", q::kCgroupCpu, 1e-6);
        add_stat(base + path + "/cpu.stat", "throttled_usec", q::kCgroupThrottled, 1e-6);
        add_number(base + path + "/memory.current", q::kCgroupMemory, 1);
      }
    } else if (controllers == "cpu,cpuacct" || controllers == "cpu") {
      add_stat(tree + "/cpu" + path + "/cpu.stat", "throttled_time", q::kCgroupThrottled, 1e-9);
      add_number(tree + "/cpuacct" + path + "/cpuacct.usage", q::kCgroupCpu, 1e-9);
    } else if (controllers == "memory") {
      add_number(tree + "/memory" + path + "/memory.usage_in_bytes", q::kCgroupMemory, 1);
    }
  });
  return any ? OkStatus()
             : Error(StatusCode::kNotFound, "{}/sys/fs/cgroup: nothing of the agent's group", root);
}

}  // namespace

const std::vector<Source>& HostSources() {
  using std::chrono::milliseconds;
  static const std::vector<Source> kSources = {
      {"cpu", milliseconds(10'000), ReadCpu},
      {"load", milliseconds(10'000), ReadLoad},
      {"memory", milliseconds(10'000), ReadMemory},
      {"vmstat", milliseconds(10'000), ReadVmstat},
      {"pressure", milliseconds(10'000), ReadPressure},
      {"disk", milliseconds(10'000), ReadDisks},
      {"network", milliseconds(10'000), ReadNetwork},
      {"rdma", milliseconds(10'000), ReadRdma},
      {"thermal", milliseconds(30'000), ReadThermal},
      {"numa", milliseconds(30'000), ReadNuma},
      {"filesystem", milliseconds(60'000), ReadFilesystems},
      {"cgroup", milliseconds(10'000), ReadCgroup},
      {"softirq", milliseconds(10'000), ReadSoftirqs},
      HwmonSource(),
      TcpSource(),
      SocketSource(),
      NfsSource(),
      EdacSource(),
      CpuFrequencySource(),
      ClockSource(ReadKernelClock),
  };
  return kSources;
}

}  // namespace rankscope::agent
