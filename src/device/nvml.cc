// NVIDIA's devices, by NVML, with its performance metrics (GPM) where a device has them.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "device/device.h"
#include "device/nvml_api.h"
#include "device/slowdowns.h"

namespace rankscope::device {
namespace {

using nvml::Device;
using nvml::Return;

struct Functions {
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  Return (*count)(unsigned*) = nullptr;
  Return (*by_index)(unsigned, Device*) = nullptr;
  Return (*name)(Device, char*, unsigned) = nullptr;
  Return (*uuid)(Device, char*, unsigned) = nullptr;
  Return (*utilization)(Device, nvml::Utilization*) = nullptr;
  Return (*memory)(Device, nvml::Memory*) = nullptr;
  Return (*memory_v2)(Device, nvml::MemoryV2*) = nullptr;
  Return (*power)(Device, unsigned*) = nullptr;             // mW
  Return (*power_limit)(Device, unsigned*) = nullptr;       // mW
  Return (*energy)(Device, unsigned long long*) = nullptr;  // mJ
  Return (*clock)(Device, unsigned, unsigned*) = nullptr;   // MHz
  Return (*max_clock)(Device, unsigned, unsigned*) = nullptr;
  Return (*temperature)(Device, unsigned, unsigned*) = nullptr;
  Return (*slowdown)(Device, unsigned long long*) = nullptr;
  Return (*slowdown_before)(Device, unsigned long long*) = nullptr;  // its name up to driver 530
  Return (*errors)(Device, unsigned, unsigned, unsigned long long*) = nullptr;
  Return (*processes)(Device, unsigned*, nvml::ProcessInfo*) = nullptr;
  Return (*make_events)(nvml::EventSet*) = nullptr;
  Return (*free_events)(nvml::EventSet) = nullptr;
  Return (*register_events)(Device, unsigned long long, nvml::EventSet) = nullptr;
  Return (*wait_event)(nvml::EventSet, nvml::EventData*, unsigned) = nullptr;
  Return (*gpm_support)(Device, nvml::GpmSupport*) = nullptr;
  Return (*gpm_alloc)(nvml::GpmSample*) = nullptr;
  Return (*gpm_free)(nvml::GpmSample) = nullptr;
  Return (*gpm_sample)(Device, nvml::GpmSample) = nullptr;
  Return (*gpm_metrics)(nvml::GpmHead*) = nullptr;
};

// Of nvmlGpmMetricId_t. Percent but for the rates, which are MiB/s.
struct GpmField {
  unsigned id;
  Known DeviceState::*place;
  double factor;
};
constexpr double kMib = 1048576;
constexpr std::array<GpmField, 11> kGpmFields = {{
    {2, &DeviceState::sm_active, 0.01},
    {3, &DeviceState::sm_occupancy, 0.01},
    {5, &DeviceState::tensor_active, 0.01},
    {10, &DeviceState::dram_active, 0.01},
    {11, &DeviceState::fp64_active, 0.01},
    {12, &DeviceState::fp32_active, 0.01},
    {13, &DeviceState::fp16_active, 0.01},
    {20, &DeviceState::pcie_sent_bytes_per_s, kMib},
    {21, &DeviceState::pcie_received_bytes_per_s, kMib},
    {60, &DeviceState::nvlink_received_bytes_per_s, kMib},
    {61, &DeviceState::nvlink_sent_bytes_per_s, kMib},
}};
// Samples have to lie 100 ms apart at least.
constexpr std::chrono::milliseconds kGpmPause{110};

class Nvml final : public Backend {
 public:
  Nvml(void* library, const Functions& functions, SteadyClock clock)
      : library_(library), call_(functions), clock_(std::move(clock)) {}
  ~Nvml() override {
    FreeCounters();
    if (events_ != nullptr) call_.free_events(events_);
    call_.shutdown();
    dlclose(library_);
  }
  std::string_view name() const override { return "nvml"; }

  void SetCounting(Counting counting) override {
    if (counting == Counting::kPaused && counting_ == Counting::kOn) FreeCounters();
    counting_ = counting;
  }

  Result<std::vector<DeviceState>> Read() override {
    unsigned count = 0;
    const Return counted = call_.count(&count);
    if (counted != nvml::kSuccess)
      return Error(StatusCode::kNotFound, "nvml: no devices are told (error {})", counted);
    constexpr unsigned kMostDevices = 1024;
    TakeEvents();
    std::vector<DeviceState> states;
    for (unsigned i = 0; i < std::min(count, kMostDevices); ++i) states.push_back(ReadOne(i));
    return states;
  }

 private:
  // Two samples of a device: the last one, and the one of now.
  struct Counted {
    nvml::GpmSample before = nullptr;
    nvml::GpmSample now = nullptr;
    bool is_asked = false;
    bool is_supported = false;
    std::chrono::steady_clock::time_point taken;
  };

  DeviceState ReadOne(unsigned index) {
    DeviceState state;
    state.index = static_cast<int>(index);
    Device device = nullptr;
    const Return found = call_.by_index(index, &device);
    if (found != nvml::kSuccess) {
      state.problem = fmt::format("the driver does not give it (error {})", found);
      Recall(index, state);
      return state;
    }
    char text[256] = {};
    if (call_.name != nullptr && call_.name(device, text, sizeof(text)) == nvml::kSuccess)
      state.name.assign(text, strnlen(text, sizeof(text)));
    if (call_.uuid != nullptr && call_.uuid(device, text, sizeof(text)) == nvml::kSuccess)
      state.uuid.assign(text, strnlen(text, sizeof(text)));
    ReadNumbers(device, state);
    ReadErrors(device, state);
    ReadSlowdowns(device, state);
    ReadProcesses(device, state);
    ReadXids(device, state);
    if (state.problem.empty() && counting_ == Counting::kOn) ReadGpm(index, device, state);
    seen_[index] = {device, state.name, state.uuid};
    return state;
  }

  void FreeCounters() {
    for (Counted& one : counted_) {
      if (one.before != nullptr) call_.gpm_free(one.before);
      if (one.now != nullptr) call_.gpm_free(one.now);
    }
    counted_.clear();
  }

  // Who it was, of one that is gone, and the Xids that may say why.
  void Recall(unsigned index, DeviceState& state) {
    const auto seen = seen_.find(index);
    if (seen == seen_.end()) return;
    state.name = seen->second.name;
    state.uuid = seen->second.uuid;
    ReadXids(seen->second.device, state);
  }

  // Whether a call gave something; that the device is lost is kept.
  static bool Gave(Return result, DeviceState& state) {
    if (result == nvml::kGpuIsLost) state.problem = "the driver has lost it: it fell off the bus";
    return result == nvml::kSuccess;
  }

  // As nvidia-smi has it: without what the driver reserves, where the driver tells them apart (510
  // and newer).
  void ReadMemory(Device device, DeviceState& state) const {
    nvml::MemoryV2 newer{
        .version = nvml::kMemoryV2, .total = 0, .reserved = 0, .free = 0, .used = 0};
    if (call_.memory_v2 != nullptr && Gave(call_.memory_v2(device, &newer), state)) {
      state.memory_used_bytes = static_cast<double>(newer.used);
      state.memory_total_bytes = static_cast<double>(newer.total);
      return;
    }
    nvml::Memory memory{};
    if (call_.memory == nullptr || !Gave(call_.memory(device, &memory), state)) return;
    state.memory_used_bytes = static_cast<double>(memory.used);
    state.memory_total_bytes = static_cast<double>(memory.total);
  }

  void ReadNumbers(Device device, DeviceState& state) const {
    nvml::Utilization busy{};
    if (call_.utilization != nullptr && Gave(call_.utilization(device, &busy), state)) {
      state.busy = busy.gpu / 100.0;
      state.memory_busy = busy.memory / 100.0;
    }
    ReadMemory(device, state);
    unsigned value = 0;
    if (call_.power != nullptr && Gave(call_.power(device, &value), state))
      state.power_watts = value / 1000.0;
    if (call_.power_limit != nullptr && Gave(call_.power_limit(device, &value), state))
      state.power_limit_watts = value / 1000.0;
    if (call_.temperature != nullptr && Gave(call_.temperature(device, 0, &value), state))
      state.temperature_celsius = value;
    if (call_.clock != nullptr && Gave(call_.clock(device, nvml::kSmClock, &value), state))
      state.sm_clock_hz = value * 1e6;
    if (call_.clock != nullptr && Gave(call_.clock(device, nvml::kMemoryClock, &value), state))
      state.memory_clock_hz = value * 1e6;
    if (call_.max_clock != nullptr && Gave(call_.max_clock(device, nvml::kSmClock, &value), state))
      state.sm_clock_max_hz = value * 1e6;
    unsigned long long energy = 0;
    if (call_.energy != nullptr && Gave(call_.energy(device, &energy), state))
      state.energy_joules = static_cast<double>(energy) / 1000;
  }

  void ReadErrors(Device device, DeviceState& state) const {
    if (call_.errors == nullptr) return;
    unsigned long long errors = 0;
    if (Gave(call_.errors(device, nvml::kCorrected, nvml::kVolatile, &errors), state))
      state.corrected_errors = static_cast<double>(errors);
    if (Gave(call_.errors(device, nvml::kUncorrected, nvml::kVolatile, &errors), state))
      state.uncorrected_errors = static_cast<double>(errors);
  }

  void ReadSlowdowns(Device device, DeviceState& state) const {
    const auto function = call_.slowdown != nullptr ? call_.slowdown : call_.slowdown_before;
    unsigned long long bits = 0;
    if (function == nullptr || !Gave(function(device, &bits), state)) return;
    state.slowed_by = SlowdownsOf(bits);
  }

  void ReadProcesses(Device device, DeviceState& state) const {
    constexpr unsigned kMost = 256;
    if (call_.processes == nullptr) return;
    std::array<nvml::ProcessInfo, kMost> infos{};
    unsigned count = kMost;
    if (!Gave(call_.processes(device, &count, infos.data()), state) || count > kMost) return;
    state.processes.emplace();
    for (unsigned i = 0; i < count; ++i) {
      DeviceProcess process{.pid = static_cast<pid_t>(infos[i].pid)};
      if (infos[i].used_memory != ~0ULL) process.memory_bytes = infos[i].used_memory;
      state.processes->push_back(process);
    }
  }

  struct Seen {
    Device device = nullptr;
    std::string name, uuid;
  };

  // Xids of a device since it was first seen.
  struct Xids {
    bool is_watched = false;  // its driver reports them
    std::uint64_t count = 0;
    std::optional<unsigned> last;
    std::vector<unsigned> numbers;
  };

  // Those that came since the last reading, without waiting.
  void TakeEvents() {
    constexpr int kMostAtOnce = 1000;
    for (int i = 0; i < kMostAtOnce && events_ != nullptr; ++i) {
      nvml::EventData event{};
      if (call_.wait_event(events_, &event, 0) != nvml::kSuccess) return;
      const auto found = xids_.find(event.device);
      if (event.type != nvml::kXidEvent || found == xids_.end()) continue;
      Xids& xids = found->second;
      const auto number = static_cast<unsigned>(event.data);
      ++xids.count;
      xids.last = number;
      const bool is_new = std::ranges::find(xids.numbers, number) == xids.numbers.end();
      if (is_new && xids.numbers.size() < kMostXids) xids.numbers.push_back(number);
    }
  }

  void ReadXids(Device device, DeviceState& state) {
    if (call_.make_events == nullptr || call_.free_events == nullptr ||
        call_.register_events == nullptr || call_.wait_event == nullptr)
      return;
    const auto [found, is_new] = xids_.try_emplace(device);
    Xids& xids = found->second;
    if (is_new) {
      if (events_ == nullptr && call_.make_events(&events_) != nvml::kSuccess) events_ = nullptr;
      xids.is_watched = events_ != nullptr &&
                        call_.register_events(device, nvml::kXidEvent, events_) == nvml::kSuccess;
    }
    if (!xids.is_watched) return;
    state.xid_errors = static_cast<double>(xids.count);
    state.last_xid = xids.last;
    state.xids = xids.numbers;
  }

  // Between the last reading and this one; the first gives none.
  void ReadGpm(unsigned index, Device device, DeviceState& state) {
    if (call_.gpm_support == nullptr || call_.gpm_alloc == nullptr || call_.gpm_free == nullptr ||
        call_.gpm_sample == nullptr || call_.gpm_metrics == nullptr)
      return;
    if (counted_.size() <= index) counted_.resize(index + 1);
    Counted& counted = counted_[index];
    if (!counted.is_asked) {
      counted.is_asked = true;
      nvml::GpmSupport support{1, 0};
      counted.is_supported = call_.gpm_support(device, &support) == nvml::kSuccess &&
                             support.is_supported != 0 &&
                             call_.gpm_alloc(&counted.before) == nvml::kSuccess &&
                             call_.gpm_alloc(&counted.now) == nvml::kSuccess;
      counted.is_supported =
          counted.is_supported && call_.gpm_sample(device, counted.before) == nvml::kSuccess;
      counted.taken = clock_();
    }
    if (!counted.is_supported) return;
    if (clock_() - counted.taken < kGpmPause) return;
    if (call_.gpm_sample(device, counted.now) != nvml::kSuccess) return;
    struct {
      nvml::GpmHead head;
      std::array<nvml::GpmMetric, kGpmFields.size()> metrics;
    } asked{};
    asked.head = {
        .version = 1, .count = kGpmFields.size(), .first = counted.before, .second = counted.now};
    for (std::size_t i = 0; i < kGpmFields.size(); ++i) asked.metrics[i].id = kGpmFields[i].id;
    if (call_.gpm_metrics(&asked.head) == nvml::kSuccess) {
      for (std::size_t i = 0; i < kGpmFields.size(); ++i) {
        if (asked.metrics[i].result == nvml::kSuccess)
          state.*kGpmFields[i].place = asked.metrics[i].value * kGpmFields[i].factor;
      }
    }
    std::swap(counted.before, counted.now);
    counted.taken = clock_();
  }

  void* const library_;
  const Functions call_;
  const SteadyClock clock_;
  std::vector<Counted> counted_;
  Counting counting_ = Counting::kOn;
  nvml::EventSet events_ = nullptr;  // of all devices; null: none
  std::map<Device, Xids> xids_;
  std::map<unsigned, Seen> seen_;  // by index
};

template <typename Function>
void Find(void* library, const char* name, Function& place) {
  place = reinterpret_cast<Function>(dlsym(library, name));
}

}  // namespace

Result<std::unique_ptr<Backend>> OpenNvml(const std::string& library, SteadyClock clock) {
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return Error(StatusCode::kNotFound, "nvml: {}", dlerror());
  Functions call;
  Find(opened, "nvmlInit_v2", call.init);
  Find(opened, "nvmlShutdown", call.shutdown);
  Find(opened, "nvmlDeviceGetCount_v2", call.count);
  Find(opened, "nvmlDeviceGetHandleByIndex_v2", call.by_index);
  Find(opened, "nvmlDeviceGetName", call.name);
  Find(opened, "nvmlDeviceGetUUID", call.uuid);
  Find(opened, "nvmlDeviceGetUtilizationRates", call.utilization);
  Find(opened, "nvmlDeviceGetMemoryInfo", call.memory);
  Find(opened, "nvmlDeviceGetMemoryInfo_v2", call.memory_v2);
  Find(opened, "nvmlDeviceGetPowerUsage", call.power);
  Find(opened, "nvmlDeviceGetEnforcedPowerLimit", call.power_limit);
  Find(opened, "nvmlDeviceGetTotalEnergyConsumption", call.energy);
  Find(opened, "nvmlDeviceGetClockInfo", call.clock);
  Find(opened, "nvmlDeviceGetMaxClockInfo", call.max_clock);
  Find(opened, "nvmlDeviceGetTemperature", call.temperature);
  Find(opened, "nvmlDeviceGetCurrentClocksEventReasons", call.slowdown);
  Find(opened, "nvmlDeviceGetCurrentClocksThrottleReasons", call.slowdown_before);
  Find(opened, "nvmlDeviceGetTotalEccErrors", call.errors);
  Find(opened, "nvmlDeviceGetComputeRunningProcesses_v3", call.processes);
  Find(opened, "nvmlEventSetCreate", call.make_events);
  Find(opened, "nvmlEventSetFree", call.free_events);
  Find(opened, "nvmlDeviceRegisterEvents", call.register_events);
  Find(opened, "nvmlEventSetWait_v2", call.wait_event);
  Find(opened, "nvmlGpmQueryDeviceSupport", call.gpm_support);
  Find(opened, "nvmlGpmSampleAlloc", call.gpm_alloc);
  Find(opened, "nvmlGpmSampleFree", call.gpm_free);
  Find(opened, "nvmlGpmSampleGet", call.gpm_sample);
  Find(opened, "nvmlGpmMetricsGet", call.gpm_metrics);
  const bool is_nvml = call.init != nullptr && call.shutdown != nullptr && call.count != nullptr &&
                       call.by_index != nullptr;
  const Return begun = is_nvml ? call.init() : -1;
  if (begun != nvml::kSuccess) {
    dlclose(opened);
    return Error(StatusCode::kNotFound, "nvml: {}: {}", library,
                 is_nvml ? fmt::format("the driver does not answer (error {})", begun)
                         : "is not NVIDIA's management library");
  }
  return std::unique_ptr<Backend>(std::make_unique<Nvml>(opened, call, std::move(clock)));
}

}  // namespace rankscope::device
