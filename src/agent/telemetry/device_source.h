// The devices of the host as a source, read on its own thread, since a driver may hang.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "agent/base/kept.h"
#include "agent/telemetry/sample.h"
#include "device/device.h"
#include "probe/backend/probe_backend.h"

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
  std::function<void(std::string_view)> said;          // messages for a log; may be empty
};

// The devices at a moment.
struct DevicesThen {
  std::int64_t unix_us = 0;
  std::vector<device::DeviceState> states;
  std::map<std::string, std::uint64_t> spec_versions;  // how often each file was read anew
};

// What is wrong with specifications, as of the last reading.
struct SpecTroubles {
  int refused = 0;  // files that are refused as they are now
  std::vector<probe::SpecFaults> faults;
};

// Safe for many threads. Three threads read the driver, DCGM's host engine and the exporter, since
// each may hang. All others get the last readings and wait for none of them.
class Devices {
 public:
  explicit Devices(DeviceOptions options);

  // Reads the driver: implements `Source::read`. Opens it if it is not open, so a driver that is
  // loaded later is found. `root` is a prefix of /sys.
  Status Read(const std::string& root, Readings& readings);
  // Read the additional sources: DCGM's host engine and the exporter; the first has priority. Their
  // values fill those that the driver lacks in its next reading; without a driver they are all
  // there is.
  Status ReadDcgm(Readings& readings);
  Status ReadExporter(Readings& readings);
  bool has_dcgm() const { return !options_.dcgm.library.empty() && !options_.dcgm.host.empty(); }
  // Releases counters that a profiler may need for this time, from the next reading on; 0: takes
  // them again. False: no source reports a device now. From any thread.
  bool PauseCounters(std::chrono::milliseconds time);
  // The last readings, without a new one.
  std::vector<device::DeviceState> Last() const;
  DevicesThen LastThen() const;  // with when; 0 where nothing is known
  SpecTroubles Specs() const;
  // According to the driver.
  std::vector<pid_t> ProcessesOn(int index) const;
  // The readings between two moments, as far as they are kept: kMostKept readings.
  std::vector<DevicesThen> Between(std::int64_t from_unix_us, std::int64_t to_unix_us) const;
  // The readings from number `from` on (kept.h).
  Kept<DevicesThen>::Rest From(std::uint64_t from, std::size_t most) const;
  static constexpr std::size_t kMostKept = 240;

 private:
  // A source of values that the driver lacks.
  struct Helper {
    std::unique_ptr<device::Backend> backend;  // of the thread that reads it
    std::vector<device::DeviceState> said;     // last; empty: nothing
  };

  Status OpenDrivers(const std::string& root);
  Result<std::vector<device::DeviceState>> ReadDrivers(const std::string& root);
  Result<std::vector<device::DeviceState>> ReadProbes(const std::string& root);
  void SayPart(const Status& drivers, const Status& probes);
  Result<std::vector<device::DeviceState>> ReadBoth(const std::string& root);
  device::Counting CountingNow() const;
  Status ReadHelper(Helper& helper, Readings& readings);
  std::vector<device::DeviceState> WithHelpers(std::vector<device::DeviceState> states) const;
  void Keep(std::vector<device::DeviceState> states);

  const DeviceOptions options_;
  std::atomic<std::int64_t> paused_until_ms_ = 0;  // steady
  // Of the thread that reads the driver.
  std::unique_ptr<device::Backend> backend_;
  std::int64_t open_after_ms_ = 0, open_pause_ms_ = 0;  // steady; beside devices of specifications
  std::unique_ptr<probe::ProbeBackend> probes_;
  device::Joining joining_;
  Status drivers_problem_ = Error(StatusCode::kNotFound, "no driver was looked for");
  std::string part_problem_;  // of the drivers or the specifications, as it was said
  mutable std::mutex mutex_;
  bool has_driver_ = false;
  Helper dcgm_, exporter_;
  std::map<std::string, std::uint64_t> spec_versions_;
  SpecTroubles spec_troubles_;
  Kept<DevicesThen> kept_{kMostKept};  // empty: the driver is gone
};

Source SourceOf(Devices& devices, std::chrono::milliseconds interval);
Source DcgmSourceOf(Devices& devices, std::chrono::milliseconds interval);
Source ExporterSourceOf(Devices& devices, std::chrono::milliseconds interval);

}  // namespace rankscope::agent
