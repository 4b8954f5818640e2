#include "agent/telemetry/device_source.h"

#include <algorithm>
#include <chrono>

#include "agent/base/now.h"
#include "device/flops.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

using device::DeviceState;
using device::Known;

struct Field {
  const quantity::Quantity& of;
  Known DeviceState::*place;
};

std::span<const Field> Fields() {
  using D = DeviceState;
  namespace q = quantity;
  static constexpr Field kFields[] = {
      {q::kDeviceBusy, &D::busy},
      {q::kDeviceMemoryBusy, &D::memory_busy},
      {q::kDeviceMemoryUsed, &D::memory_used_bytes},
      {q::kDeviceMemoryTotal, &D::memory_total_bytes},
      {q::kDevicePower, &D::power_watts},
      {q::kDevicePowerLimit, &D::power_limit_watts},
      {q::kDeviceEnergy, &D::energy_joules},
      {q::kDeviceSmClock, &D::sm_clock_hz},
      {q::kDeviceSmClockMax, &D::sm_clock_max_hz},
      {q::kDeviceMemoryClock, &D::memory_clock_hz},
      {q::kDeviceTemperature, &D::temperature_celsius},
      {q::kDeviceSmActive, &D::sm_active},
      {q::kDeviceSmOccupancy, &D::sm_occupancy},
      {q::kDeviceTensorActive, &D::tensor_active},
      {q::kDeviceFp64Active, &D::fp64_active},
      {q::kDeviceFp32Active, &D::fp32_active},
      {q::kDeviceFp16Active, &D::fp16_active},
      {q::kDeviceDramActive, &D::dram_active},
      {q::kDevicePcieSent, &D::pcie_sent_bytes_per_s},
      {q::kDevicePcieReceived, &D::pcie_received_bytes_per_s},
      {q::kDeviceNvlinkSent, &D::nvlink_sent_bytes_per_s},
      {q::kDeviceNvlinkReceived, &D::nvlink_received_bytes_per_s},
      {q::kDeviceErrorsCorrected, &D::corrected_errors},
      {q::kDeviceErrorsUncorrected, &D::uncorrected_errors},
  };
  return kFields;
}

void AddState(const DeviceState& state, Readings& readings) {
  namespace q = quantity;
  const Labels labels = {
      {"device", std::to_string(state.index)}, {"name", state.name}, {"uuid", state.uuid}};
  const auto with = [&](std::string key, std::string value) {
    Labels more = labels;
    more.emplace_back(std::move(key), std::move(value));
    return more;
  };
  readings.Add(q::kDeviceHealth, labels, static_cast<double>(device::HealthOf(state).verdict));
  // Of one that is lost, too: they say why.
  if (state.xid_errors) readings.Add(q::kDeviceXidErrors, labels, *state.xid_errors);
  if (state.last_xid) readings.Add(q::kDeviceLastXid, labels, *state.last_xid);
  if (!state.file.empty()) {
    Labels info = labels;
    for (const auto& [key, text] : {std::pair("id", &state.id),
                                    {"serial", &state.serial},
                                    {"firmware", &state.firmware},
                                    {"driver", &state.driver}})
      info.emplace_back(key, *text);
    readings.Add(q::kDeviceInfo, std::move(info), 1);
  }
  if (!state.problem.empty()) return;
  for (const device::OwnMetric& one : state.own) {
    Labels own = with("metric", one.name);
    own.emplace_back("unit", one.unit);
    readings.Add(q::kDeviceVendor, std::move(own), one.value);
  }
  for (const Field& field : Fields()) {
    if (const Known& value = state.*field.place) readings.Add(field.of, labels, *value);
  }
  if (const auto flops = device::EstimateFlops(state)) {
    readings.Add(q::kDeviceFlops, labels, flops->flops_per_s);
    readings.Add(q::kDeviceFlopsRatio, labels, flops->ratio);
    readings.Add(q::kDevicePeakFlops, labels, flops->peaks->matrix_16.value);
  }
  if (state.slowed_by) {
    for (const std::string& reason : *state.slowed_by)
      readings.Add(q::kDeviceSlowedFor, with("reason", reason), 1);
  }
  if (state.processes) {
    for (const device::DeviceProcess& process : *state.processes) {
      if (process.memory_bytes)
        readings.Add(q::kDeviceProcessMemory, with("pid", std::to_string(process.pid)),
                     static_cast<double>(*process.memory_bytes));
    }
  }
}

}  // namespace

Result<std::vector<DeviceState>> Devices::ReadDrivers(const std::string& root) {
  if (backend_ == nullptr) RS_RETURN_IF_ERROR(OpenDrivers(root));
  backend_->SetCounting(CountingNow());
  Result<std::vector<DeviceState>> states = backend_->Read();
  // A driver that is loaded anew is another one.
  if (!states.ok()) backend_.reset();
  return states;
}

Result<std::vector<DeviceState>> Devices::ReadProbes(const std::string& root) {
  if (probes_ == nullptr)
    probes_ = probe::OpenProbeBackend({.files = options_.probes,
                                       .root = root,
                                       .worker = options_.probe_worker,
                                       .said = options_.said});
  return probes_->Read();
}

// A part that gives nothing while the other does: the source is up, and its log would not have it.
void Devices::SayPart(const Status& drivers, const Status& probes) {
  std::string problem(drivers.ok() ? probes.message() : drivers.message());
  if (problem == part_problem_) return;
  part_problem_ = std::move(problem);
  if (options_.said && !part_problem_.empty()) options_.said("device: " + part_problem_);
}

// An error only where both have one. Beside devices of specifications a missing driver is looked
// for less and less often.
Result<std::vector<DeviceState>> Devices::ReadBoth(const std::string& root) {
  if (options_.probes.empty()) return ReadDrivers(root);
  const std::int64_t now = NowOfHost().steady_ms;
  Result<std::vector<DeviceState>> drivers = drivers_problem_;
  if (backend_ != nullptr || now >= open_after_ms_) {
    drivers = ReadDrivers(root);
    drivers_problem_ = drivers.ok() ? OkStatus() : drivers.status();
    open_pause_ms_ = drivers.ok() ? 0 : std::clamp<std::int64_t>(2 * open_pause_ms_, 1000, 60'000);
    open_after_ms_ = now + open_pause_ms_;
  }
  Result<std::vector<DeviceState>> probes = ReadProbes(root);
  if (!drivers.ok() && !probes.ok()) {
    open_after_ms_ = 0;  // the collector makes the pauses
    return Error(StatusCode::kNotFound, "{}; {}", drivers.status().message(),
                 probes.status().message());
  }
  SayPart(drivers.ok() ? OkStatus() : drivers.status(), probes.ok() ? OkStatus() : probes.status());
  return joining_.Join(drivers.ok() ? std::move(*drivers) : std::vector<DeviceState>(),
                       probes.ok() ? std::move(*probes) : std::vector<DeviceState>());
}

Status Devices::OpenDrivers(const std::string& root) {
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
  Result<std::vector<DeviceState>> states = ReadBoth(root);
  const std::scoped_lock lock(mutex_);
  if (probes_ != nullptr) {
    spec_versions_ = probes_->versions();
    spec_troubles_ = {.refused = probes_->refused(), .faults = probes_->faults()};
  }
  has_driver_ = states.ok();
  if (!states.ok()) {
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

bool Devices::PauseCounters(std::chrono::milliseconds time) {
  paused_until_ms_ = NowOfHost().steady_ms + time.count();
  const std::scoped_lock lock(mutex_);
  return has_driver_ || !dcgm_.said.empty() || !exporter_.said.empty();
}

// Holding the lock.
void Devices::Keep(std::vector<DeviceState> states) {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  kept_.Add({.unix_us = std::chrono::duration_cast<std::chrono::microseconds>(now).count(),
             .states = std::move(states),
             .spec_versions = {}});
}

std::vector<DeviceState> Devices::Last() const { return LastThen().states; }

DevicesThen Devices::LastThen() const {
  const std::scoped_lock lock(mutex_);
  DevicesThen last = kept_.empty() ? DevicesThen() : kept_.back();
  last.spec_versions = spec_versions_;
  return last;
}

SpecTroubles Devices::Specs() const {
  const std::scoped_lock lock(mutex_);
  return spec_troubles_;
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
