// AMD's devices, by AMD SMI.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <set>

#include "device/amdsmi_api.h"
#include "device/device.h"

namespace rankscope::device {
namespace {

using amdsmi::Processor;
using amdsmi::Return;
using amdsmi::Socket;

struct Functions {
  Return (*init)(std::uint64_t) = nullptr;
  Return (*shut_down)() = nullptr;
  Return (*version)(void*) = nullptr;
  Return (*sockets)(std::uint32_t*, Socket*) = nullptr;
  Return (*processors)(Socket, std::uint32_t*, Processor*) = nullptr;
  Return (*kind)(Processor, unsigned*) = nullptr;
  Return (*address)(Processor, std::uint64_t*) = nullptr;
  Return (*uuid)(Processor, unsigned*, char*) = nullptr;
  Return (*asic)(Processor, void*) = nullptr;
  Return (*activity)(Processor, void*) = nullptr;
  Return (*memory_total)(Processor, unsigned, std::uint64_t*) = nullptr;
  Return (*memory_used)(Processor, unsigned, std::uint64_t*) = nullptr;
  Return (*power)(Processor, void*) = nullptr;
  Return (*power_cap)(Processor, std::uint32_t, void*) = nullptr;
  Return (*energy)(Processor, std::uint64_t*, float*, std::uint64_t*) = nullptr;
  Return (*clock)(Processor, unsigned, void*) = nullptr;
  Return (*temperature)(Processor, unsigned, unsigned, std::int64_t*) = nullptr;
  Return (*errors)(Processor, void*) = nullptr;
  Return (*violations)(Processor, void*) = nullptr;
};

// A struct of the library's, which may be longer than what is known of it.
template <typename Struct, typename Call, typename... Arguments>
std::optional<Struct> Told(Call call, Arguments... arguments) {
  static_assert(sizeof(Struct) <= amdsmi::kRoom);
  alignas(16) std::array<std::byte, amdsmi::kRoom> room{};
  if (call == nullptr || call(arguments..., room.data()) != amdsmi::kSuccess) return std::nullopt;
  Struct told;
  std::memcpy(&told, room.data(), sizeof(told));
  return told;
}

// What the library does not know is all ones, of 16 or 32 bits.
Known Below(std::uint32_t value, std::uint32_t end, double factor) {
  return value < end ? Known(value * factor) : std::nullopt;
}
constexpr std::uint32_t kUnknown = 0xffff;

class AmdSmi final : public Backend {
 public:
  AmdSmi(const Functions& functions, std::uint32_t version) : call_(functions), version_(version) {}
  ~AmdSmi() override { call_.shut_down(); }
  std::string_view name() const override { return "amdsmi"; }

  Result<std::vector<DeviceState>> Read() override {
    const std::vector<Processor> processors = Processors();
    std::vector<DeviceState> states;
    for (const Processor processor : processors) {
      DeviceState state = Identity(processor, static_cast<int>(states.size()));
      if (ReadNumbers(processor, state)) {
        told_.insert(processor);
      } else if (told_.contains(processor)) {
        // The library lists what there was when it began: it is to begin anew.
        return Error(StatusCode::kNotFound, "amdsmi: the device {} ({}) tells nothing any more",
                     state.index, state.uuid);
      }
      states.push_back(std::move(state));
    }
    TellAddresses(processors, states);
    if (states.empty()) return Error(StatusCode::kNotFound, "amdsmi: there is no device");
    return states;
  }

 private:
  std::vector<Processor> Processors() const {
    constexpr std::uint32_t kMost = 1024;
    std::vector<Socket> sockets(kMost);
    std::uint32_t count = kMost;
    if (call_.sockets(&count, sockets.data()) != amdsmi::kSuccess) return {};
    sockets.resize(std::min(count, kMost));
    std::vector<Processor> all;
    for (const Socket socket : sockets) {
      std::vector<Processor> some(kMost);
      count = kMost;
      if (call_.processors(socket, &count, some.data()) != amdsmi::kSuccess) continue;
      some.resize(std::min(count, kMost));
      std::ranges::copy_if(some, std::back_inserter(all), [this](Processor one) {
        unsigned kind = 0;
        return call_.kind(one, &kind) == amdsmi::kSuccess && kind == amdsmi::kGpu;
      });
    }
    return all;
  }

  DeviceState Identity(Processor processor, int index) const {
    DeviceState state;
    state.index = index;
    if (const auto name = Told<std::array<char, amdsmi::kNameSize>>(call_.asic, processor))
      state.name.assign(name->data(), strnlen(name->data(), name->size()));
    std::array<char, 64> uuid{};
    auto length = static_cast<unsigned>(uuid.size());
    if (call_.uuid != nullptr && call_.uuid(processor, &length, uuid.data()) == amdsmi::kSuccess)
      state.uuid.assign(uuid.data(), strnlen(uuid.data(), uuid.size()));
    return state;
  }

  // Parts of a device share its slot, and nothing else is known by it: they have no address.
  void TellAddresses(const std::vector<Processor>& processors,
                     std::vector<DeviceState>& states) const {
    // Domain, bus and device; the part is in bits 28 to 31, or in the place of the function.
    constexpr std::uint64_t kSlot = 0xffffffff0000fff8U;
    constexpr std::uint64_t kPart = 0xf0000007U;
    std::map<std::uint64_t, std::vector<DeviceState*>> slots;
    for (std::size_t i = 0; i < processors.size(); ++i) {
      std::uint64_t address = 0;
      if (call_.address(processors[i], &address) != amdsmi::kSuccess) continue;
      slots[address & kSlot].push_back((address & kPart) == 0 ? &states[i] : nullptr);
    }
    for (const auto& [slot, there] : slots) {
      if (there.size() != 1 || there.front() == nullptr) continue;
      there.front()->pci_address = fmt::format("{:04x}:{:02x}:{:02x}.0", slot >> 32U,
                                               (slot >> 8U) & 0xffU, (slot >> 3U) & 0x1fU);
    }
  }

  // Whether there was any.
  bool ReadNumbers(Processor processor, DeviceState& state) const {
    constexpr std::uint32_t kPercents = 101;
    if (const auto activity = Told<amdsmi::Activity>(call_.activity, processor)) {
      state.busy = Below(activity->gfx, kPercents, 0.01);
      state.memory_busy = Below(activity->umc, kPercents, 0.01);
    }
    std::uint64_t bytes = 0;
    if (call_.memory_total != nullptr &&
        call_.memory_total(processor, amdsmi::kVram, &bytes) == amdsmi::kSuccess && bytes > 0)
      state.memory_total_bytes = static_cast<double>(bytes);
    if (call_.memory_used != nullptr &&
        call_.memory_used(processor, amdsmi::kVram, &bytes) == amdsmi::kSuccess)
      state.memory_used_bytes = static_cast<double>(bytes);
    ReadPower(processor, state);
    ReadClocks(processor, state);
    state.temperature_celsius = Temperature(processor, amdsmi::kHotspot);
    if (!state.temperature_celsius)
      state.temperature_celsius = Temperature(processor, amdsmi::kEdge);
    if (const auto errors = Told<amdsmi::Errors>(call_.errors, processor)) {
      state.corrected_errors = static_cast<double>(errors->corrected);
      state.uncorrected_errors = static_cast<double>(errors->uncorrected);
    }
    if (version_ == amdsmi::kRocm7) ReadViolations(processor, state);
    return KnowsNumbers(state);
  }

  static bool KnowsNumbers(const DeviceState& state) {
    return state.busy || state.memory_total_bytes || state.memory_used_bytes || state.power_watts ||
           state.sm_clock_hz || state.temperature_celsius;
  }

  void ReadPower(Processor processor, DeviceState& state) const {
    // Devices tell the one of now or the mean, by their generation.
    const auto take = [&](std::uint32_t current, std::uint32_t average) {
      state.power_watts = Below(current, kUnknown, 1);
      if (!state.power_watts) state.power_watts = Below(average, kUnknown, 1);
    };
    if (version_ == amdsmi::kRocm6) {
      const auto power = Told<amdsmi::PowerOfRocm6>(call_.power, processor);
      if (power) take(power->current, power->average);
    } else {
      const auto power = Told<amdsmi::PowerOfRocm7>(call_.power, processor);
      if (power) take(power->current, power->average);
    }
    const auto cap = Told<amdsmi::PowerCap>(call_.power_cap, processor, 0U);
    if (cap && cap->cap > 0 && cap->cap < ~std::uint64_t{0})
      state.power_limit_watts = static_cast<double>(cap->cap) * 1e-6;
    std::uint64_t energy = 0;
    std::uint64_t taken_ns = 0;
    float resolution_uj = 0;
    if (call_.energy != nullptr &&
        call_.energy(processor, &energy, &resolution_uj, &taken_ns) == amdsmi::kSuccess &&
        energy < ~std::uint64_t{0} && resolution_uj > 0)
      state.energy_joules = static_cast<double>(energy) * static_cast<double>(resolution_uj) * 1e-6;
  }

  void ReadClocks(Processor processor, DeviceState& state) const {
    if (const auto clock = Told<amdsmi::Clock>(call_.clock, processor, amdsmi::kGfxClock)) {
      state.sm_clock_hz = Below(clock->now, kUnknown, 1e6);
      if (clock->most > 0) state.sm_clock_max_hz = Below(clock->most, kUnknown, 1e6);
    }
    if (const auto clock = Told<amdsmi::Clock>(call_.clock, processor, amdsmi::kMemClock))
      state.memory_clock_hz = Below(clock->now, kUnknown, 1e6);
  }

  Known Temperature(Processor processor, unsigned sensor) const {
    // Degrees; what is beyond is none: all ones, or thousandths of a library that has them.
    constexpr std::int64_t kMost = 200;
    std::int64_t celsius = 0;
    if (call_.temperature == nullptr ||
        call_.temperature(processor, sensor, amdsmi::kCurrent, &celsius) != amdsmi::kSuccess ||
        celsius <= 0 || celsius > kMost)
      return std::nullopt;
    return static_cast<double>(celsius);
  }

  void ReadViolations(Processor processor, DeviceState& state) const {
    const auto told = Told<amdsmi::Violations>(call_.violations, processor);
    if (!told) return;
    const std::array thermal = {told->prochot, told->socket_thermal, told->regulator_thermal,
                                told->memory_thermal};
    const auto is_known = [](std::uint8_t flag) { return flag <= 1; };
    if (!is_known(told->power) && std::ranges::none_of(thermal, is_known)) return;
    state.slowed_by.emplace();
    // A limit that somebody set, and heat that the device holds itself down for.
    if (told->power == 1) state.slowed_by->emplace_back("software_power_cap");
    if (std::ranges::find(thermal, 1) != thermal.end())
      state.slowed_by->emplace_back("hardware_thermal");
  }

  const Functions call_;
  const std::uint32_t version_;
  std::set<Processor> told_;  // those that told numbers once
};

template <typename Function>
bool Find(void* library, const char* name, Function& place) {
  place = reinterpret_cast<Function>(dlsym(library, name));
  return place != nullptr;
}

}  // namespace

Result<std::unique_ptr<Backend>> OpenAmdSmi(const std::string& library) {
  // Never unloaded: it leaves threads of its own.
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (opened == nullptr) return Error(StatusCode::kNotFound, "amdsmi: {}", dlerror());
  const auto no = [&](std::string_view why) {
    dlclose(opened);
    return Error(StatusCode::kNotFound, "amdsmi: {}: {}", library, why);
  };
  Functions call;
  const bool is_amdsmi = Find(opened, "amdsmi_init", call.init) &&
                         Find(opened, "amdsmi_shut_down", call.shut_down) &&
                         Find(opened, "amdsmi_get_lib_version", call.version) &&
                         Find(opened, "amdsmi_get_socket_handles", call.sockets) &&
                         Find(opened, "amdsmi_get_processor_handles", call.processors) &&
                         Find(opened, "amdsmi_get_processor_type", call.kind) &&
                         Find(opened, "amdsmi_get_gpu_bdf_id", call.address);
  if (!is_amdsmi) return no("is not AMD SMI's library");
  Find(opened, "amdsmi_get_gpu_device_uuid", call.uuid);
  Find(opened, "amdsmi_get_gpu_asic_info", call.asic);
  Find(opened, "amdsmi_get_gpu_activity", call.activity);
  Find(opened, "amdsmi_get_gpu_memory_total", call.memory_total);
  Find(opened, "amdsmi_get_gpu_memory_usage", call.memory_used);
  Find(opened, "amdsmi_get_power_info", call.power);
  Find(opened, "amdsmi_get_power_cap_info", call.power_cap);
  Find(opened, "amdsmi_get_energy_count", call.energy);
  Find(opened, "amdsmi_get_clock_info", call.clock);
  Find(opened, "amdsmi_get_temp_metric", call.temperature);
  Find(opened, "amdsmi_get_gpu_total_ecc_count", call.errors);
  Find(opened, "amdsmi_get_violation_status", call.violations);
  const Return begun = call.init(amdsmi::kInitGpus);
  if (begun != amdsmi::kSuccess) return no(fmt::format("does not begin (error {})", begun));
  const auto version = Told<std::uint32_t>(call.version);
  if (!version || (*version != amdsmi::kRocm6 && *version != amdsmi::kRocm7)) {
    call.shut_down();
    return no(fmt::format("version {} is not known, but 24 (ROCm 6) and 26 (ROCm 7)",
                          version.value_or(0)));
  }
  return std::unique_ptr<Backend>(std::make_unique<AmdSmi>(call, *version));
}

}  // namespace rankscope::device
