// The state of an accelerator of any vendor: unknown numbers are absent, never 0.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace rankscope::device {

using Known = std::optional<double>;

enum class Verdict : std::uint8_t { kOk, kDegraded, kFailed };
std::string_view ToString(Verdict verdict);  // "ok", "degraded", "failed"

struct DeviceProcess {
  pid_t pid = 0;
  std::optional<std::uint64_t> memory_bytes;
};

// A metric that only the device's own specification (probe/) knows.
struct OwnMetric {
  std::string name;  // "vendor_queue_depth"
  std::string unit;  // "count"; "" for a condition, which is 0 or 1
  double value = 0;
};

struct DeviceState {
  int index = 0;
  std::string id;    // which one it is among those of its kind, over all readings: "Chip/accel0";
                     // "": its index tells
  std::string file;  // its specification (probe/); "": it has none
  std::string name;
  std::string uuid;         // of the device, if the driver reports it
  std::string pci_address;  // "0000:c1:00.0", if reported and valid for the whole device
  std::string serial, firmware, driver;  // as its specification says; "": it does not
  // Shares are 0 to 1.
  Known busy;         // share of time in which a kernel ran
  Known memory_busy;  // share of time in which memory was read or written
  Known memory_used_bytes, memory_total_bytes;
  Known power_watts, power_limit_watts, energy_joules;  // energy: since the driver was loaded
  Known sm_clock_hz, memory_clock_hz;
  Known sm_clock_max_hz;  // the highest possible clock
  Known temperature_celsius;
  // Pipe utilisation, if the device counts it: share of all cycles.
  Known sm_active, sm_occupancy, tensor_active, fp64_active, fp32_active, fp16_active, dram_active;
  Known pcie_sent_bytes_per_s, pcie_received_bytes_per_s;
  Known nvlink_sent_bytes_per_s, nvlink_received_bytes_per_s;
  Known corrected_errors, uncorrected_errors;  // memory errors since the last reset
  Known xid_errors;                            // reported by the driver since it was opened here
  std::optional<unsigned> last_xid;
  std::vector<unsigned> xids;                         // distinct ones so far, up to kMostXids
  std::optional<std::vector<std::string>> slowed_by;  // why clocks are below their maximum
  std::optional<std::vector<DeviceProcess>> processes;
  std::string problem;                 // the driver reports it as lost; nothing above is valid
  bool gives_health = false;           // its specification (probe/) defines health
  std::optional<Verdict> said_health;  // and what it says
  std::string said_reason;             // and the reason; "" if not stated
  std::vector<OwnMetric> own;          // those with a value
};

inline constexpr std::size_t kMostXids = 64;

struct Health {
  Verdict verdict = Verdict::kOk;
  std::vector<std::string> reasons;
};
// Failed: lost, uncorrected memory errors, a fatal Xid (xid.h). Degraded: clocks reduced by heat,
// power or an external brake; hotter than 90 C; an Xid that indicates damage. Unknown values have
// no effect. Of a device whose specification defines health, only that, its loss and Xids count.
Health HealthOf(const DeviceState& state);

// Only one program at a time can use pipe counters, and a profiler may need them.
enum class Counting : std::uint8_t { kOn, kPaused };

// Reads the devices of one vendor. Not thread-safe; may block as long as the driver does.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  // "nvml"
  // All devices that exist now. kNotFound: the driver or its devices are gone.
  virtual Result<std::vector<DeviceState>> Read() = 0;
  // Takes effect at the next reading. While paused, values from these counters are unknown.
  virtual void SetCounting(Counting) {}
};

using SteadyClock = std::function<std::chrono::steady_clock::time_point()>;
// NVIDIA, through its management library, which is loaded by this call. kNotFound without the
// library. `clock` tells when counters can be read again; tests replace it.
Result<std::unique_ptr<Backend>> OpenNvml(const std::string& library,
                                          SteadyClock clock = std::chrono::steady_clock::now);
// NVIDIA, through the page of a dcgm-exporter, which `fetch` gets for each reading. Has no data on
// parts of devices (MIG).
std::unique_ptr<Backend> MakeDcgmExporter(std::function<Result<std::string>()> fetch);

struct DcgmOptions {
  std::string library;  // libdcgm.so.4; libdcgm.so.3 is used if only that exists
  std::string host;     // host engine: HOST, HOST:PORT or unix:///PATH
  std::chrono::milliseconds interval{5000};  // at which the host engine samples
};
// NVIDIA, through DCGM's host engine. The first reading connects to it, and later readings
// reconnect if the connection is lost. kNotFound without the library. Pausing counters pauses them
// in the host engine, for all its clients; they are resumed when this object ends.
Result<std::unique_ptr<Backend>> OpenDcgm(DcgmOptions options);
// The values of the first list; unknown ones are filled in from the second list's device with the
// same uuid or PCI address. O(devices^2).
std::vector<DeviceState> Merged(std::vector<DeviceState> first,
                                const std::vector<DeviceState>& second);
// AMD, from the amdgpu files below `root`/sys/class/drm. kNotFound if there are none.
Result<std::unique_ptr<Backend>> OpenAmdgpu(const std::string& root);
// AMD, through its management library (AMD SMI), which is loaded by this call. kNotFound without
// the library or for an unsupported version. A device that stops responding is an error: the
// library only knows the devices that existed when it was opened.
Result<std::unique_ptr<Backend>> OpenAmdSmi(const std::string& library);
// Numbers devices of two sources together. Not thread-safe.
class Joining {
 public:
  // The devices of the first, followed by those that only the second has, numbered behind the
  // first's. These keep their numbers, and none takes one of a device that is gone.
  // O(devices^2).
  std::vector<DeviceState> Join(std::vector<DeviceState> first, std::vector<DeviceState> second);

 private:
  std::map<int, int> numbers_;  // by the second's own
};
// Reads both, one after the other, and merges them. Errors of the second are ignored.
std::unique_ptr<Backend> MakeFilled(std::unique_ptr<Backend> first,
                                    std::unique_ptr<Backend> second);

}  // namespace rankscope::device
