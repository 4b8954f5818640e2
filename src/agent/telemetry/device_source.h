// The devices of the host as a source: read by a thread of its own, since a driver may hang.
#pragma once

#include <cstdint>
#include <deque>
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
};

// The devices at a moment.
struct DevicesThen {
  std::int64_t unix_us = 0;
  std::vector<device::DeviceState> states;
};

// Safe for many threads.
class Devices {
 public:
  explicit Devices(DeviceOptions options) : options_(std::move(options)) {}

  // Asks the driver: what `Source::read` does. Opens it when it is not open, so that one that comes
  // later is found. `root` stands before /sys.
  Status Read(const std::string& root, Readings& readings);
  // As they were read last, without asking.
  std::vector<device::DeviceState> Last() const;
  // What was read between two moments, as far back as is kept: kMostKept readings.
  std::vector<DevicesThen> Between(std::int64_t from_unix_us, std::int64_t to_unix_us) const;
  static constexpr std::size_t kMostKept = 240;

 private:
  Status Open(const std::string& root);

  const DeviceOptions options_;
  std::unique_ptr<device::Backend> backend_;  // of the reading thread
  mutable std::mutex mutex_;
  std::deque<DevicesThen> kept_;  // the newest last; empty: the driver is gone
};

Source SourceOf(Devices& devices, std::chrono::milliseconds interval);

}  // namespace rankscope::agent
