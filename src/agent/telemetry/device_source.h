// The devices of the host as a source: read by a thread of its own, since a driver may hang.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/telemetry/sample.h"
#include "device/device.h"

namespace rankscope::agent {

struct DeviceOptions {
  std::string nvml_library;  // empty: not asked
  bool reads_amdgpu = true;
  std::function<Result<std::string>()> exporter_page;  // of a dcgm-exporter; empty: not asked
};

// The devices at a moment.
struct DevicesThen {
  std::int64_t unix_us = 0;
  std::vector<device::DeviceState> states;
};

// Safe for many threads: two of them read, the driver and the exporter, since each may hang; all
// others ask what was read last, and wait for neither.
class Devices {
 public:
  explicit Devices(DeviceOptions options);

  // Asks the driver: what `Source::read` does. Opens it when it is not open, so that one that comes
  // later is found. `root` stands before /sys.
  Status Read(const std::string& root, Readings& readings);
  // Asks the exporter. What it says goes with the driver's next reading, for what that does not
  // know; without a driver it is all there is.
  Status ReadExporter(Readings& readings);
  bool has_exporter() const { return exporter_ != nullptr; }
  // Leaves counters that a profiler may want alone for so long, from the next reading on; 0: takes
  // them again. From any thread.
  void PauseCounters(std::chrono::milliseconds time);
  // As they were read last, without asking.
  std::vector<device::DeviceState> Last() const;
  // By the driver's word.
  std::vector<pid_t> ProcessesOn(int index) const;
  // What was read between two moments, as far back as is kept: kMostKept readings.
  std::vector<DevicesThen> Between(std::int64_t from_unix_us, std::int64_t to_unix_us) const;
  static constexpr std::size_t kMostKept = 240;

 private:
  Status Open(const std::string& root);
  void Keep(std::vector<device::DeviceState> states);

  const DeviceOptions options_;
  std::atomic<std::int64_t> paused_until_ms_ = 0;    // steady
  std::unique_ptr<device::Backend> backend_;         // of the thread that reads the driver
  const std::unique_ptr<device::Backend> exporter_;  // of the one that reads the page
  mutable std::mutex mutex_;
  bool has_driver_ = false;
  std::vector<device::DeviceState> of_exporter_;  // what it said last; empty: nothing
  std::deque<DevicesThen> kept_;                  // the newest last; empty: the driver is gone
};

Source SourceOf(Devices& devices, std::chrono::milliseconds interval);
Source ExporterSourceOf(Devices& devices, std::chrono::milliseconds interval);

}  // namespace rankscope::agent
