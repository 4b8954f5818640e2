// HostHistory: the host's telemetry that can explain a slow step, by time, for the samples that go
// with captures.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/base/kept.h"
#include "agent/telemetry/snapshot.h"
#include "quantity/quantity.h"

namespace rankscope::agent {

// A number of the host, or of a process on it, at a moment.
struct HostSample {
  std::int64_t unix_us = 0;
  pid_t pid = 0;  // 0: of the host
  const quantity::Quantity* quantity = nullptr;
  double value = 0;
};

// Keeps the last kMost. Counters become rates between two readings; the first reading gives none.
//
// host_cpu_pressure       ratio  of the time, in which some task waited for a core (PSI, some cpu)
// host_memory_pressure    ratio  in which some task waited for memory
// host_io_pressure        ratio  in which some task waited for a disk
// host_cpu_busy           ratio  of the time of all cores, in which they did something
// host_memory_used        ratio  of the memory, that nobody could have had
// host_network_received   bytes/s   by all devices but the loopback's; likewise host_network_sent
// host_runnable           tasks  that run or could, now
// host_cores              cores  that the kernel counts time of
// host_context_switches   1/s    of all tasks
// process_core_wait       ratio  of the time, in which the process's main thread could run and had
//                                no core
//
// Safe for many threads.
class HostHistory {
 public:
  static constexpr std::size_t kMost = 2000;

  // Takes readings that are new since the last call. O(sources) if there are none.
  void See(const Snapshots& snapshots);
  std::vector<HostSample> Between(std::int64_t from_unix_us, std::int64_t to_unix_us) const;
  // The samples from number `from` on (kept.h).
  Kept<HostSample>::Rest From(std::uint64_t from, std::size_t most) const;

 private:
  struct Before {
    double value = 0;
    std::int64_t steady_ms = 0;
  };
  void SeeOne(const Snapshot& snapshot);
  void AddRate(const Snapshot& snapshot, const quantity::Quantity& number,
               std::optional<double> counter, pid_t pid = 0);
  void Add(const Snapshot& snapshot, const quantity::Quantity& number, double value, pid_t pid = 0);
  void SeeProcesses(const Snapshot& snapshot);

  mutable std::mutex mutex_;
  std::map<std::string_view, std::shared_ptr<const Snapshot>> seen_;      // by source
  std::map<std::pair<const quantity::Quantity*, pid_t>, Before> before_;  // 0: of the host
  Kept<HostSample> kept_{kMost};
};

}  // namespace rankscope::agent
