// What is known of an accelerator, whoever made it: numbers that are unknown are absent, never 0.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
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

struct DeviceState {
  int index = 0;
  std::string name;
  std::string uuid;         // of the device, where the driver says it
  std::string pci_address;  // "0000:c1:00.0", where that is of the whole device and told
  // Shares are 0 to 1.
  Known busy;         // of the time, in which a kernel ran
  Known memory_busy;  // in which memory was read or written
  Known memory_used_bytes, memory_total_bytes;
  Known power_watts, power_limit_watts, energy_joules;  // since the driver was loaded
  Known sm_clock_hz, memory_clock_hz;
  Known sm_clock_max_hz;  // the most that it can be
  Known temperature_celsius;
  // Of the pipes, where the device counts them: of all cycles.
  Known sm_active, sm_occupancy, tensor_active, fp64_active, fp32_active, fp16_active, dram_active;
  Known pcie_sent_bytes_per_s, pcie_received_bytes_per_s;
  Known nvlink_sent_bytes_per_s, nvlink_received_bytes_per_s;
  Known corrected_errors, uncorrected_errors;  // of memory, since the last reset
  Known xid_errors;                            // that the driver reported since it was opened here
  std::optional<unsigned> last_xid;
  std::vector<unsigned> xids;  // those that there were, each once, up to kMostXids
  std::optional<std::vector<std::string>> slowed_by;  // why clocks are not what they could be
  std::optional<std::vector<DeviceProcess>> processes;
  std::string problem;                 // the driver says that it is lost; nothing above holds then
  std::optional<Verdict> said_health;  // what its specification says (probe/)
  std::string said_reason;             // and why; "" where it does not say
};

inline constexpr std::size_t kMostXids = 64;

struct Health {
  Verdict verdict = Verdict::kOk;
  std::vector<std::string> reasons;
};
// Failed: lost, errors of memory that could not be corrected, an Xid that is fatal (xid.h).
// Degraded: its clocks are held down by heat, power or a brake from outside; hotter than 90 C; an
// Xid that tells of damage. What is unknown speaks for nothing.
Health HealthOf(const DeviceState& state);

// Counters of pipes are held by one program at a time, and a profiler may want them.
enum class Counting : std::uint8_t { kOn, kPaused };

// Reads devices of one maker. Not for several threads; may block for as long as the driver does.
class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;  // "nvml"
  // All devices that there are now. kNotFound: the driver or its devices are gone.
  virtual Result<std::vector<DeviceState>> Read() = 0;
  // From the next reading on. While it is paused what these counters tell is unknown.
  virtual void SetCounting(Counting) {}
};

using SteadyClock = std::function<std::chrono::steady_clock::time_point()>;
// NVIDIA, by its management library, loaded when this is called. kNotFound without it. `clock` says
// when counters can be told anew: tests have one of their own.
Result<std::unique_ptr<Backend>> OpenNvml(const std::string& library,
                                          SteadyClock clock = std::chrono::steady_clock::now);
// NVIDIA, by the page of a dcgm-exporter, which `fetch` gets anew each time. Of parts of devices
// (MIG) it says nothing.
std::unique_ptr<Backend> MakeDcgmExporter(std::function<Result<std::string>()> fetch);

struct DcgmOptions {
  std::string library;  // libdcgm.so.4, in place of which libdcgm.so.3 is taken where that is there
  std::string host;     // of the host engine: HOST, HOST:PORT or unix:///PATH
  std::chrono::milliseconds interval{5000};  // in which it is to read
};
// NVIDIA, by DCGM's host engine, which the first reading connects to and each reading that finds it
// gone anew. kNotFound without the library. Paused counters are paused in the host engine, for all
// who ask it, and resumed when this ends.
Result<std::unique_ptr<Backend>> OpenDcgm(DcgmOptions options);
// What the first says, and of what it does not know what the second says of the device with the
// same uuid or PCI address. O(devices^2).
std::vector<DeviceState> Merged(std::vector<DeviceState> first,
                                const std::vector<DeviceState>& second);
// AMD, by the files of amdgpu below `root`/sys/class/drm. kNotFound without any.
Result<std::unique_ptr<Backend>> OpenAmdgpu(const std::string& root);
// AMD, by its management library (AMD SMI), loaded when this is called. kNotFound without it, and
// when it is of a version that is not known. A device that tells nothing any more is an error: the
// library knows those that there were when it was opened.
Result<std::unique_ptr<Backend>> OpenAmdSmi(const std::string& library);
// Devices of the first, and behind them those that only the second has. An error only where both
// have one.
std::unique_ptr<Backend> MakeJoined(std::unique_ptr<Backend> first,
                                    std::unique_ptr<Backend> second);
// Both, one after the other, merged. What fails of the second is left out.
std::unique_ptr<Backend> MakeFilled(std::unique_ptr<Backend> first,
                                    std::unique_ptr<Backend> second);

}  // namespace rankscope::device
