// The devices of the host as a source: read by a thread of its own, since a driver may hang.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/base/kept.h"
#include "agent/telemetry/sample.h"
#include "device/device.h"

namespace rankscope::agent {

struct DeviceOptions {
  std::string nvml_library;  // empty: not asked
  std::string
      amdsmi_library;  // empty: not asked; what it does not tell is read from amdgpu's files
  bool reads_amdgpu = true;
  std::vector<std::string> probes;                     // specifications of other devices
  std::vector<std::string> probe_worker;               // the command that loads their libraries
  device::DcgmOptions dcgm;                            // its library or its host empty: not asked
  std::function<Result<std::string>()> exporter_page;  // of a dcgm-exporter; empty: not asked
};

// The devices at a moment.
struct DevicesThen {
  std::int64_t unix_us = 0;
  std::vector<device::DeviceState> states;
};

// Safe for many threads: three of them read, the driver, DCGM's host engine and the exporter, since
// each may hang; all others ask what was read last, and wait for none of them.
class Devices {
 public:
  explicit Devices(DeviceOptions options);

  // Asks the driver: what `Source::read` does. Opens it when it is not open, so that one that comes
  // later is found. `root` stands before /sys.
  Status Read(const std::string& root, Readings& readings);
  // Ask who knows more: DCGM's host engine and the exporter, of which the first goes before. What
  // they say goes with the driver's next reading, for what that does not know; without a driver it
  // is all there is.
  Status ReadDcgm(Readings& readings);
  Status ReadExporter(Readings& readings);
  bool has_dcgm() const { return !options_.dcgm.library.empty() && !options_.dcgm.host.empty(); }
  // Leaves counters that a profiler may want alone for so long, from the next reading on; 0: takes
  // them again. False: nobody tells of a device now. From any thread.
  bool PauseCounters(std::chrono::milliseconds time);
  // As they were read last, without asking.
  std::vector<device::DeviceState> Last() const;
  DevicesThen LastThen() const;  // with when; 0 where nothing is known
  // By the driver's word.
  std::vector<pid_t> ProcessesOn(int index) const;
  // What was read between two moments, as far back as is kept: kMostKept readings.
  std::vector<DevicesThen> Between(std::int64_t from_unix_us, std::int64_t to_unix_us) const;
  // Those that were read from the `from`th on (kept.h).
  Kept<DevicesThen>::Rest From(std::uint64_t from, std::size_t most) const;
  static constexpr std::size_t kMostKept = 240;

 private:
  // Who knows what the driver does not.
  struct Helper {
    std::unique_ptr<device::Backend> backend;  // of the thread that reads it
    std::vector<device::DeviceState> said;     // last; empty: nothing
  };

  Status Open(const std::string& root);
  Status OpenDrivers(const std::string& root);
  device::Counting CountingNow() const;
  Status ReadHelper(Helper& helper, Readings& readings);
  std::vector<device::DeviceState> WithHelpers(std::vector<device::DeviceState> states) const;
  void Keep(std::vector<device::DeviceState> states);

  const DeviceOptions options_;
  std::atomic<std::int64_t> paused_until_ms_ = 0;  // steady
  std::unique_ptr<device::Backend> backend_;       // of the thread that reads the driver
  mutable std::mutex mutex_;
  bool has_driver_ = false;
  Helper dcgm_, exporter_;
  Kept<DevicesThen> kept_{kMostKept};  // empty: the driver is gone
};

Source SourceOf(Devices& devices, std::chrono::milliseconds interval);
Source DcgmSourceOf(Devices& devices, std::chrono::milliseconds interval);
Source ExporterSourceOf(Devices& devices, std::chrono::milliseconds interval);

}  // namespace rankscope::agent
