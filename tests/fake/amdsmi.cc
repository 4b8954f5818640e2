// An AMD SMI that is none: what it tells comes from the file $FAKE_AMDSMI (said.h). "!2" is the
// error 2. Keys: init, version (24, 26), sockets, and of each device those below; "busy.1" is of
// one. Loaded by tests alone.
#include <cstring>

#include "device/amdsmi_api.h"
#include "said.h"

using namespace rankscope::device::amdsmi;

namespace {

using Lines = std::map<std::string, std::string>;
constexpr Return kNoData = 40;

struct One {
  unsigned index;
};
One devices[8];
bool is_begun = false;

Lines Said() { return fake::Said("FAKE_AMDSMI"); }

// The line of this device, or of all.
const std::string* Line(const Lines& said, const std::string& key, Processor processor) {
  const unsigned index = static_cast<One*>(processor)->index;
  auto found = said.find(key + "." + std::to_string(index));
  if (found == said.end()) found = said.find(key);
  return found == said.end() ? nullptr : &found->second;
}

template <typename T>
Return Give(const std::string& key, Processor processor, T* place) {
  const Lines said = Said();
  const std::string* const text = Line(said, key, processor);
  if (text == nullptr) return kNotSupported;
  if (text->front() == '!') return static_cast<Return>(std::stoul(text->substr(1)));
  *place = static_cast<T>(std::stoull(*text));
  return kSuccess;
}

template <typename T>
T Or(const std::string& key, Processor processor, T otherwise) {
  T value = otherwise;
  return Give(key, processor, &value) == kSuccess ? value : otherwise;
}

// A struct as the library writes it: all of its bytes, of which some are reserved.
template <typename T>
Return Write(Return result, const T& value, void* place) {
  if (result != kSuccess) return result;
  std::memset(place, 0xff, sizeof(T) + 128);
  std::memcpy(place, &value, sizeof(value));
  return kSuccess;
}

}  // namespace

extern "C" {
Return amdsmi_init(std::uint64_t flags) {
  const int wrong = fake::ErrorOf(Said(), "init");
  is_begun = wrong == 0 && flags == kInitGpus;
  for (unsigned i = 0; i < 8; ++i) devices[i].index = i;
  return static_cast<Return>(wrong);
}
Return amdsmi_shut_down() {
  is_begun = false;
  return kSuccess;
}
Return amdsmi_get_lib_version(void* place) {
  Processor const first = &devices[0];
  const std::uint32_t version[6] = {Or("version", first, kRocm7), 5, 0, 0, 0, 0};
  return is_begun ? Write(kSuccess, version, place) : kNoData;
}
Return amdsmi_get_socket_handles(std::uint32_t* count, Socket* sockets) {
  *count = Or("sockets", &devices[0], 1U);
  for (unsigned i = 0; i < *count; ++i) sockets[i] = &devices[i];
  return kSuccess;
}
// A device and a processor that is none in each.
Return amdsmi_get_processor_handles(Socket socket, std::uint32_t* count, Processor* processors) {
  *count = 2;
  processors[0] = socket;
  processors[1] = nullptr;
  return kSuccess;
}
Return amdsmi_get_processor_type(Processor processor, unsigned* type) {
  *type = processor == nullptr ? 2 : kGpu;
  return kSuccess;
}
Return amdsmi_get_gpu_bdf_id(Processor processor, std::uint64_t* address) {
  const std::uint64_t bus = 0xc1 + static_cast<One*>(processor)->index;
  *address = Or("bus", processor, bus) << 8U;
  *address |= Or("part", processor, std::uint64_t{0}) << 28U;
  return kSuccess;
}
Return amdsmi_get_gpu_device_uuid(Processor processor, unsigned* length, char* uuid) {
  if (*length < 38) return kNoData;
  const std::string text = "amd-" + std::to_string(static_cast<One*>(processor)->index);
  std::strcpy(uuid, text.c_str());
  return kSuccess;
}
Return amdsmi_get_gpu_asic_info(Processor, void* place) {
  const char name[kNameSize] = "AMD Instinct MI300X";
  return Write(kSuccess, name, place);
}
Return amdsmi_get_gpu_activity(Processor processor, void* place) {
  Activity activity{0, Or("memory_busy", processor, 0xffffU), 0xffff, {}};
  const Return result = Give("busy", processor, &activity.gfx);
  return Write(result, activity, place);
}
Return amdsmi_get_gpu_memory_total(Processor processor, unsigned type, std::uint64_t* bytes) {
  return type == kVram ? Give("memory_total", processor, bytes) : kNotSupported;
}
Return amdsmi_get_gpu_memory_usage(Processor processor, unsigned type, std::uint64_t* bytes) {
  return type == kVram ? Give("memory_used", processor, bytes) : kNotSupported;
}
Return amdsmi_get_power_info(Processor processor, void* place) {
  const auto current = Or("power", processor, 0xffffU);
  const auto average = Or("power_average", processor, 0xffffU);
  if (Or("version", processor, kRocm7) == kRocm6)
    return Write(kSuccess, PowerOfRocm6{current, average}, place);
  return Write(kSuccess, PowerOfRocm7{7, current, average}, place);
}
Return amdsmi_get_power_cap_info(Processor processor, std::uint32_t sensor, void* place) {
  PowerCap cap{};
  const Return result = Give("cap_uw", processor, &cap.cap);
  return sensor == 0 ? Write(result, cap, place) : kNotSupported;
}
Return amdsmi_get_energy_count(Processor processor, std::uint64_t* count, float* resolution_uj,
                               std::uint64_t* taken_ns) {
  *resolution_uj = 15.5F;
  *taken_ns = 1;
  return Give("energy", processor, count);
}
Return amdsmi_get_clock_info(Processor processor, unsigned type, void* place) {
  const std::string name = type == kGfxClock ? "gfx" : type == kMemClock ? "mem" : "none";
  Clock clock{0, 0, Or(name + "_max_mhz", processor, 0U), 0, 0, {}};
  const Return result = Give(name + "_mhz", processor, &clock.now);
  return Write(result, clock, place);
}
Return amdsmi_get_temp_metric(Processor processor, unsigned sensor, unsigned metric,
                              std::int64_t* celsius) {
  if (metric != kCurrent) return kNotSupported;
  return Give(sensor == kHotspot ? "hotspot" : "edge", processor, celsius);
}
Return amdsmi_get_gpu_total_ecc_count(Processor processor, void* place) {
  Errors errors{0, Or("uncorrected", processor, std::uint64_t{0}), 0, {}};
  const Return result = Give("corrected", processor, &errors.corrected);
  return Write(result, errors, place);
}
Return amdsmi_get_violation_status(Processor processor, void* place) {
  const auto flag = [&](const char* name) { return Or(name, processor, std::uint8_t{255}); };
  Violations told{};
  std::memset(&told, 0xff, sizeof(told));
  told.power = flag("ppt");
  told.memory_thermal = flag("hbm_thermal");
  const Return is_told = Or("violations", processor, 0U) == 1 ? kSuccess : kNotSupported;
  return Write(is_told, told, place);
}
}
