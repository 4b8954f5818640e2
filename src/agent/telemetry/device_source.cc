#include "agent/telemetry/device_source.h"

#include <chrono>

#include "agent/now.h"
#include "device/flops.h"

namespace rankscope::agent {
namespace {

using device::DeviceState;
using device::Known;
using Kind = MetricKind;

struct Field {
  Metric metric;
  Known DeviceState::*place;
};

const std::vector<Field>& Fields() {
  using D = DeviceState;
  static const std::vector<Field> kFields = {
      {{"rankscope_device_busy_ratio", Kind::kGauge, "of the time, in which a kernel ran"},
       &D::busy},
      {{"rankscope_device_memory_busy_ratio", Kind::kGauge,
        "of the time, in which memory was used"},
       &D::memory_busy},
      {{"rankscope_device_memory_used_bytes", Kind::kGauge, "of the device"},
       &D::memory_used_bytes},
      {{"rankscope_device_memory_total_bytes", Kind::kGauge, "of the device"},
       &D::memory_total_bytes},
      {{"rankscope_device_power_watts", Kind::kGauge, "drawn now"}, &D::power_watts},
      {{"rankscope_device_power_limit_watts", Kind::kGauge, "that is enforced"},
       &D::power_limit_watts},
      {{"rankscope_device_energy_joules_total", Kind::kCounter, "since the driver was loaded"},
       &D::energy_joules},
      {{"rankscope_device_sm_clock_hertz", Kind::kGauge, "of the processors"}, &D::sm_clock_hz},
      {{"rankscope_device_sm_clock_max_hertz", Kind::kGauge, "the most that it can be"},
       &D::sm_clock_max_hz},
      {{"rankscope_device_memory_clock_hertz", Kind::kGauge, "of memory"}, &D::memory_clock_hz},
      {{"rankscope_device_temperature_celsius", Kind::kGauge, "of the device"},
       &D::temperature_celsius},
      {{"rankscope_device_sm_active_ratio", Kind::kGauge, "of all cycles of all processors"},
       &D::sm_active},
      {{"rankscope_device_sm_occupancy_ratio", Kind::kGauge, "of the warps that fit"},
       &D::sm_occupancy},
      {{"rankscope_device_tensor_active_ratio", Kind::kGauge,
        "of all cycles, in which matrix units worked; not the FLOPs that were of use"},
       &D::tensor_active},
      {{"rankscope_device_fp64_active_ratio", Kind::kGauge, "of all cycles"}, &D::fp64_active},
      {{"rankscope_device_fp32_active_ratio", Kind::kGauge, "of all cycles"}, &D::fp32_active},
      {{"rankscope_device_fp16_active_ratio", Kind::kGauge, "of all cycles"}, &D::fp16_active},
      {{"rankscope_device_dram_active_ratio", Kind::kGauge, "of the peak bandwidth of memory"},
       &D::dram_active},
      {{"rankscope_device_pcie_sent_bytes_per_second", Kind::kGauge, "over PCIe"},
       &D::pcie_sent_bytes_per_s},
      {{"rankscope_device_pcie_received_bytes_per_second", Kind::kGauge, "over PCIe"},
       &D::pcie_received_bytes_per_s},
      {{"rankscope_device_nvlink_sent_bytes_per_second", Kind::kGauge, "over all links"},
       &D::nvlink_sent_bytes_per_s},
      {{"rankscope_device_nvlink_received_bytes_per_second", Kind::kGauge, "over all links"},
       &D::nvlink_received_bytes_per_s},
      {{"rankscope_device_memory_errors_corrected_total", Kind::kCounter, "since the last reset"},
       &D::corrected_errors},
      {{"rankscope_device_memory_errors_uncorrected_total", Kind::kCounter, "since the last reset"},
       &D::uncorrected_errors},
  };
  return kFields;
}

void AddState(const DeviceState& state, Readings& readings) {
  static constexpr Metric kHealth = {"rankscope_device_health", Kind::kGauge,
                                     "0 ok, 1 degraded, 2 failed"};
  static constexpr Metric kSlowed = {"rankscope_device_slowed", Kind::kGauge,
                                     "1: clocks are not what they could be, for that reason"};
  static constexpr Metric kProcess = {"rankscope_device_process_memory_bytes", Kind::kGauge,
                                      "of the device, by process"};
  static constexpr Metric kXids = {"rankscope_device_xid_errors_total", Kind::kCounter,
                                   "Xids that the driver reported since the agent opened it"};
  static constexpr Metric kLastXid = {"rankscope_device_last_xid", Kind::kGauge,
                                      "the number of the last Xid"};
  static constexpr Metric kFlops = {"rankscope_device_flops_per_second_estimate", Kind::kGauge,
                                    "pipes that were busy times their peaks, as fp16: an upper "
                                    "bound, not what was of use"};
  static constexpr Metric kFlopsRatio = {"rankscope_device_flops_ratio_estimate", Kind::kGauge,
                                         "the estimate over the device's peak of fp16"};
  static constexpr Metric kPeak = {"rankscope_device_peak_flops_per_second", Kind::kGauge,
                                   "of fp16 on matrix units, dense, by the maker's document"};
  const Labels labels = {
      {"device", std::to_string(state.index)}, {"name", state.name}, {"uuid", state.uuid}};
  const auto with = [&](std::string key, std::string value) {
    Labels more = labels;
    more.emplace_back(std::move(key), std::move(value));
    return more;
  };
  readings.Add(kHealth, labels, static_cast<double>(device::HealthOf(state).verdict));
  // Of one that is lost, too: they say why.
  if (state.xid_errors) readings.Add(kXids, labels, *state.xid_errors);
  if (state.last_xid) readings.Add(kLastXid, labels, *state.last_xid);
  if (!state.problem.empty()) return;
  for (const Field& field : Fields()) {
    if (const Known& value = state.*field.place) readings.Add(field.metric, labels, *value);
  }
  if (const auto flops = device::EstimateFlops(state)) {
    readings.Add(kFlops, labels, flops->flops_per_s);
    readings.Add(kFlopsRatio, labels, flops->ratio);
    readings.Add(kPeak, labels, flops->peaks->matrix_16.value);
  }
  if (state.slowed_by) {
    for (const std::string& reason : *state.slowed_by)
      readings.Add(kSlowed, with("reason", reason), 1);
  }
  if (state.processes) {
    for (const device::DeviceProcess& process : *state.processes) {
      if (process.memory_bytes)
        readings.Add(kProcess, with("pid", std::to_string(process.pid)),
                     static_cast<double>(*process.memory_bytes));
    }
  }
}

}  // namespace

Status Devices::Open(const std::string& root) {
  Status why = Error(StatusCode::kNotFound, "no kind of device is asked for");
  if (!options_.nvml_library.empty()) {
    auto nvml = device::OpenNvml(options_.nvml_library);
    if (nvml.ok()) {
      backend_ = std::move(*nvml);
      return OkStatus();
    }
    why = nvml.status();
  }
  if (!options_.amdsmi_library.empty()) {
    auto amdsmi = device::OpenAmdSmi(options_.amdsmi_library);
    if (amdsmi.ok()) {
      backend_ = std::move(*amdsmi);
    } else {
      why = Error(StatusCode::kNotFound, "{}; {}", why.message(), amdsmi.status().message());
    }
  }
  if (!options_.reads_amdgpu) return backend_ == nullptr ? why : OkStatus();
  auto amdgpu = device::OpenAmdgpu(root);
  if (!amdgpu.ok()) {
    if (backend_ != nullptr) return OkStatus();
    return Error(StatusCode::kNotFound, "{}; {}", why.message(), amdgpu.status().message());
  }
  backend_ = backend_ == nullptr ? std::move(*amdgpu)
                                 : device::MakeFilled(std::move(backend_), std::move(*amdgpu));
  return OkStatus();
}

Devices::Devices(DeviceOptions options) : options_(std::move(options)) {
  if (options_.exporter_page) exporter_.backend = device::MakeDcgmExporter(options_.exporter_page);
}

device::Counting Devices::CountingNow() const {
  return NowOfHost().steady_ms < paused_until_ms_ ? device::Counting::kPaused
                                                  : device::Counting::kOn;
}

Status Devices::Read(const std::string& root, Readings& readings) {
  if (backend_ == nullptr) {
    const Status opened = Open(root);
    if (!opened.ok()) return opened;
  }
  backend_->SetCounting(CountingNow());
  Result<std::vector<DeviceState>> states = backend_->Read();
  const std::scoped_lock lock(mutex_);
  has_driver_ = states.ok();
  if (!states.ok()) {
    // A driver that is loaded anew is another one.
    backend_.reset();
    kept_.Clear();
    return states.status();
  }
  *states = WithHelpers(std::move(*states));
  for (const DeviceState& state : *states) AddState(state, readings);
  Keep(std::move(*states));
  return OkStatus();
}

Status Devices::ReadDcgm(Readings& readings) {
  if (dcgm_.backend == nullptr) {
    RS_ASSIGN_OR_RETURN(dcgm_.backend, device::OpenDcgm(options_.dcgm));
  }
  return ReadHelper(dcgm_, readings);
}

Status Devices::ReadExporter(Readings& readings) { return ReadHelper(exporter_, readings); }

Status Devices::ReadHelper(Helper& helper, Readings& readings) {
  helper.backend->SetCounting(CountingNow());
  Result<std::vector<DeviceState>> states = helper.backend->Read();
  const std::scoped_lock lock(mutex_);
  helper.said = states.ok() ? *states : std::vector<DeviceState>();
  if (!states.ok()) {
    if (!has_driver_ && dcgm_.said.empty() && exporter_.said.empty()) kept_.Clear();
    return states.status();
  }
  // It goes with what the driver says, or with what the one before says.
  if (has_driver_ || (&helper == &exporter_ && !dcgm_.said.empty())) return OkStatus();
  *states = WithHelpers(std::move(*states));
  for (const DeviceState& state : *states) AddState(state, readings);
  Keep(std::move(*states));
  return OkStatus();
}

// Holding the lock.
std::vector<DeviceState> Devices::WithHelpers(std::vector<DeviceState> states) const {
  return device::Merged(device::Merged(std::move(states), dcgm_.said), exporter_.said);
}

void Devices::PauseCounters(std::chrono::milliseconds time) {
  paused_until_ms_ = NowOfHost().steady_ms + time.count();
}

// Holding the lock.
void Devices::Keep(std::vector<DeviceState> states) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  kept_.Add(
      {std::chrono::duration_cast<std::chrono::microseconds>(now).count(), std::move(states)});
}

std::vector<DeviceState> Devices::Last() const {
  const std::scoped_lock lock(mutex_);
  return kept_.empty() ? std::vector<DeviceState>() : kept_.back().states;
}

std::vector<pid_t> Devices::ProcessesOn(int index) const {
  const std::scoped_lock lock(mutex_);
  std::vector<pid_t> pids;
  if (kept_.empty()) return pids;
  for (const DeviceState& state : kept_.back().states) {
    if (state.index != index || !state.processes) continue;
    for (const device::DeviceProcess& process : *state.processes) pids.push_back(process.pid);
  }
  return pids;
}

std::vector<DevicesThen> Devices::Between(std::int64_t from_unix_us,
                                          std::int64_t to_unix_us) const {
  const std::scoped_lock lock(mutex_);
  return kept_.Between(from_unix_us, to_unix_us);
}

Kept<DevicesThen>::Rest Devices::From(std::uint64_t from, std::size_t most) const {
  const std::scoped_lock lock(mutex_);
  return kept_.From(from, most);
}

Source SourceOf(Devices& devices, std::chrono::milliseconds interval) {
  return {"device", interval, [&devices](const std::string& root, Readings& readings) {
            return devices.Read(root, readings);
          }};
}

Source DcgmSourceOf(Devices& devices, std::chrono::milliseconds interval) {
  return {"dcgm_engine", interval, [&devices](const std::string&, Readings& readings) {
            return devices.ReadDcgm(readings);
          }};
}

Source ExporterSourceOf(Devices& devices, std::chrono::milliseconds interval) {
  return {"dcgm", interval, [&devices](const std::string&, Readings& readings) {
            return devices.ReadExporter(readings);
          }};
}

}  // namespace rankscope::agent
