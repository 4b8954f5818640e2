#include "agent/telemetry/machine_sources.h"

#include <sys/timex.h>

#include <cerrno>
#include <cstring>

#include "agent/telemetry/reading_files.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

namespace q = quantity;
using std::chrono::milliseconds;

Status ReadEdac(const std::string& root, Readings& readings) {
  const std::string folder = root + "/sys/devices/system/edac/mc";
  bool any = false;
  for (const std::string& name : NamesIn(folder)) {
    if (!name.starts_with("mc")) continue;
    any = true;
    const std::string at = folder + "/" + name;
    AddFile(readings, q::kEdacErrors, {{"controller", name}, {"kind", "corrected"}},
            at + "/ce_count");
    AddFile(readings, q::kEdacErrors, {{"controller", name}, {"kind", "uncorrected"}},
            at + "/ue_count");
  }
  if (any) return OkStatus();
  return Error(StatusCode::kNotFound,
               "{}: no memory controller is watched: no driver of EDAC, or memory without ECC",
               folder);
}

// "cpu12"; other names in the folder are cpufreq, cpuidle, ...
bool IsCore(std::string_view name) {
  return name.size() > 3 && name.starts_with("cpu") &&
         name.find_first_not_of("0123456789", 3) == std::string_view::npos;
}

Status ReadCpuFrequency(const std::string& root, Readings& readings) {
  const std::string folder = root + "/sys/devices/system/cpu";
  bool any = false;
  for (const std::string& name : NamesIn(folder)) {
    if (!IsCore(name)) continue;
    const std::size_t before = readings.all.size();
    const Labels core = {{"cpu", name.substr(3)}};
    const std::string at = folder + "/" + name;
    AddFile(readings, q::kCpuFrequency, core, at + "/cpufreq/scaling_cur_freq", 1e3);
    AddFile(readings, q::kCpuFrequencyMax, core, at + "/cpufreq/cpuinfo_max_freq", 1e3);
    AddFile(readings, q::kCpuThrottles, core, at + "/thermal_throttle/core_throttle_count");
    any = any || readings.all.size() > before;
  }
  if (any) return OkStatus();
  return Error(StatusCode::kNotFound, "{}: neither frequencies nor throttling (a virtual machine?)",
               folder);
}

}  // namespace

Source EdacSource() { return {"edac", milliseconds(30'000), ReadEdac}; }
Source CpuFrequencySource() { return {"cpufreq", milliseconds(10'000), ReadCpuFrequency}; }

Result<KernelClock> ReadKernelClock() {
  timex now{};
  const int state = adjtimex(&now);
  if (state < 0)
    return Error(StatusCode::kIo, "cannot ask the kernel for its clock: {}", std::strerror(errno));
  KernelClock clock;
  clock.is_synchronised = state != TIME_ERROR && (now.status & STA_UNSYNC) == 0;
  clock.offset_s = static_cast<double>(now.offset) * ((now.status & STA_NANO) != 0 ? 1e-9 : 1e-6);
  clock.most_error_s = static_cast<double>(now.maxerror) * 1e-6;
  clock.estimated_error_s = static_cast<double>(now.esterror) * 1e-6;
  return clock;
}

Source ClockSource(std::function<Result<KernelClock>()> read) {
  return {"clock", milliseconds(10'000),
          [read = std::move(read)](const std::string&, Readings& readings) -> Status {
            RS_ASSIGN_OR_RETURN(const KernelClock clock, read());
            readings.Add(q::kClockSynchronised, {}, clock.is_synchronised ? 1 : 0);
            // Nobody steers it: how far it is off is not known.
            if (!clock.is_synchronised) return OkStatus();
            readings.Add(q::kClockOffset, {}, clock.offset_s);
            readings.Add(q::kClockMostError, {}, clock.most_error_s);
            readings.Add(q::kClockEstimatedError, {}, clock.estimated_error_s);
            return OkStatus();
          }};
}

}  // namespace rankscope::agent
