// NVIDIA's devices, by the host engine of DCGM (nv-hostengine), which holds the counters of pipes
// for all who want to know them: it is connected to, and asked to read what it does not read yet.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <random>
#include <span>

#include "device/dcgm_api.h"
#include "device/device.h"
#include "device/last_xids.h"
#include "device/slowdowns.h"

namespace rankscope::device {
namespace {

using dcgm::Return;

struct Functions {
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  Return (*connect)(const char*, dcgm::ConnectParams*, dcgm::Handle*) = nullptr;
  Return (*disconnect)(dcgm::Handle) = nullptr;
  Return (*devices)(dcgm::Handle, unsigned*, int*) = nullptr;
  Return (*make_group)(dcgm::Handle, int, const char*, dcgm::Group*) = nullptr;
  Return (*add_device)(dcgm::Handle, dcgm::Group, unsigned) = nullptr;
  Return (*destroy_group)(dcgm::Handle, dcgm::Group) = nullptr;
  Return (*make_fields)(dcgm::Handle, int, unsigned short*, const char*,
                        dcgm::FieldGroup*) = nullptr;
  Return (*watch)(dcgm::Handle, dcgm::Group, dcgm::FieldGroup, long long, double, int) = nullptr;
  Return (*update)(dcgm::Handle, int) = nullptr;
  Return (*values)(dcgm::Handle, int, int, unsigned short*, unsigned, dcgm::FieldValue*) = nullptr;
  Return (*pause)(dcgm::Handle) = nullptr;
  Return (*resume)(dcgm::Handle) = nullptr;
};

// By their numbers, which stay: their names were changed.
constexpr unsigned short kName = 50;
constexpr unsigned short kUuid = 54;
constexpr unsigned short kSlowdowns = 112;
constexpr unsigned short kXid = 230;

struct Field {
  unsigned short number;
  Known DeviceState::*place;
  double factor;
};
constexpr double kMib = 1048576;
constexpr std::array<Field, 13> kFields = {{
    {100, &DeviceState::sm_clock_hz, 1e6},
    {101, &DeviceState::memory_clock_hz, 1e6},
    {113, &DeviceState::sm_clock_max_hz, 1e6},
    {150, &DeviceState::temperature_celsius, 1},
    {155, &DeviceState::power_watts, 1},
    {156, &DeviceState::energy_joules, 1e-3},
    {164, &DeviceState::power_limit_watts, 1},
    {203, &DeviceState::busy, 0.01},
    {204, &DeviceState::memory_busy, 0.01},
    {250, &DeviceState::memory_total_bytes, kMib},
    {252, &DeviceState::memory_used_bytes, kMib},
    {310, &DeviceState::corrected_errors, 1},
    {311, &DeviceState::uncorrected_errors, 1},
}};
// What one program at a time can count.
constexpr std::array<Field, 11> kCounters = {{
    {1002, &DeviceState::sm_active, 1},
    {1003, &DeviceState::sm_occupancy, 1},
    {1004, &DeviceState::tensor_active, 1},
    {1005, &DeviceState::dram_active, 1},
    {1006, &DeviceState::fp64_active, 1},
    {1007, &DeviceState::fp32_active, 1},
    {1008, &DeviceState::fp16_active, 1},
    {1009, &DeviceState::pcie_sent_bytes_per_s, 1},
    {1010, &DeviceState::pcie_received_bytes_per_s, 1},
    {1011, &DeviceState::nvlink_sent_bytes_per_s, 1},
    {1012, &DeviceState::nvlink_received_bytes_per_s, 1},
}};

std::vector<unsigned short> NumbersOf(std::span<const Field> fields) {
  std::vector<unsigned short> numbers;
  for (const Field& field : fields) numbers.push_back(field.number);
  return numbers;
}

Known NumberOf(const dcgm::FieldValue& value) {
  if (value.status != dcgm::kOk) return std::nullopt;
  if (value.type == dcgm::kReal) {
    // What is no number compares with nothing.
    const double real = value.value.real;
    return real >= 0 && real < dcgm::kBlankReal ? Known(real) : std::nullopt;
  }
  const std::int64_t whole = value.value.whole;
  // The driver's 32-bit blanks are handed on in fields of 64 bits, too.
  const bool is_blank =
      whole >= dcgm::kBlank64 || (whole >= dcgm::kBlank32 && whole < dcgm::kBlank32 + 16);
  if (value.type != dcgm::kWhole || whole < 0 || is_blank) return std::nullopt;
  return static_cast<double>(whole);
}

std::string TextOf(const dcgm::FieldValue& value) {
  if (value.status != dcgm::kOk || value.type != dcgm::kText) return {};
  const std::string text(value.value.text, strnlen(value.value.text, sizeof(value.value.text)));
  return text.starts_with(dcgm::kBlankText) ? std::string() : text;
}

class Dcgm final : public Backend {
 public:
  Dcgm(const Functions& functions, DcgmOptions options)
      : call_(functions), options_(std::move(options)) {}
  ~Dcgm() override {
    // A host engine that stays paused counts for nobody.
    if (is_connected_ && may_be_paused_) (void)call_.resume(handle_);
    Disconnect();
    call_.shutdown();
  }
  std::string_view name() const override { return "dcgm_engine"; }

  void SetCounting(Counting counting) override {
    is_told_ = is_told_ && counting == counting_;
    counting_ = counting;
  }

  Result<std::vector<DeviceState>> Read() override {
    Result<std::vector<DeviceState>> states = TryRead();
    // Whatever it was: the next reading begins anew.
    if (!states.ok()) Disconnect();
    return states;
  }

 private:
  Result<std::vector<DeviceState>> TryRead() {
    if (!is_connected_) RS_RETURN_IF_ERROR(Connect());
    RS_RETURN_IF_ERROR(TellCounting());
    std::array<unsigned, dcgm::kMostDevices> listed{};
    int count = 0;
    const Return told = call_.devices(handle_, listed.data(), &count);
    if (told != dcgm::kOk) return Gone("does not tell its devices", told);
    const std::vector<unsigned> devices(
        listed.begin(), listed.begin() + std::clamp<int>(count, 0, dcgm::kMostDevices));
    if (devices.empty())
      return Error(StatusCode::kNotFound, "dcgm_engine: the host engine at {} has no device",
                   options_.host);
    Watch(devices);
    std::vector<DeviceState> states;
    for (const unsigned device : devices) {
      RS_ASSIGN_OR_RETURN(DeviceState state, ReadOne(device));
      states.push_back(std::move(state));
    }
    return states;
  }

  Status Gone(std::string_view what, Return code) const {
    return Error(StatusCode::kNotFound, "dcgm_engine: the host engine at {} {} (error {})",
                 options_.host, what, code);
  }

  Status Connect() {
    constexpr std::string_view kUnix = "unix://";
    constexpr unsigned kPatienceMs = 5000;
    const bool is_unix = options_.host.starts_with(kUnix);
    const std::string address = is_unix ? options_.host.substr(kUnix.size()) : options_.host;
    dcgm::ConnectParams params{.version = dcgm::kConnectVersion,
                               .persists = 0,
                               .timeout_ms = kPatienceMs,
                               .is_unix_socket = is_unix ? 1U : 0U};
    const Return made = call_.connect(address.c_str(), &params, &handle_);
    if (made != dcgm::kOk) return Gone("does not answer", made);
    is_connected_ = true;
    is_told_ = counting_ == Counting::kOn && !may_be_paused_;
    return OkStatus();
  }

  // With it go watches and groups: the host engine keeps nothing of who is gone.
  void Disconnect() {
    if (is_connected_) (void)call_.disconnect(handle_);
    is_connected_ = false;
    watched_.clear();
    field_groups_.clear();
  }

  Status TellCounting() {
    if (is_told_) return OkStatus();
    const bool pauses = counting_ == Counting::kPaused;
    // A pause of somebody else is left alone.
    is_told_ = !pauses && !may_be_paused_;
    if (is_told_) return OkStatus();
    may_be_paused_ = may_be_paused_ || pauses;
    const Return told = pauses ? call_.pause(handle_) : call_.resume(handle_);
    // Where nothing is counted there is nothing to pause.
    const bool counts_none = told == dcgm::kNotSupported || told == dcgm::kModuleNotLoaded ||
                             told == dcgm::kProfilingNotSupported;
    if (told != dcgm::kOk && !counts_none)
      return Gone(pauses ? "does not pause its counters" : "does not resume its counters", told);
    is_told_ = true;
    may_be_paused_ = pauses;
    return OkStatus();
  }

  // Each device in a group of its own: those of different kinds cannot count together. One that
  // comes later is watched then.
  void Watch(const std::vector<unsigned>& devices) {
    bool is_new = false;
    for (auto one = watched_.begin(); one != watched_.end();) {
      const bool is_there = std::ranges::find(devices, one->first) != devices.end();
      if (!is_there) (void)call_.destroy_group(handle_, one->second);
      one = is_there ? std::next(one) : watched_.erase(one);
    }
    for (const unsigned device : devices) {
      if (watched_.contains(device)) continue;
      dcgm::Group group = 0;
      if (call_.make_group(handle_, dcgm::kEmptyGroup, NewName().c_str(), &group) != dcgm::kOk)
        continue;
      watched_.emplace(device, group);
      is_new = true;
      if (call_.add_device(handle_, group, device) != dcgm::kOk) continue;
      std::vector<unsigned short> fields = NumbersOf(kFields);
      fields.insert(fields.end(), {kName, kUuid, kSlowdowns, kXid});
      WatchFields(group, fields);
      WatchFields(group, NumbersOf(kCounters));
    }
    // Else there would be nothing before the host engine's next round.
    if (is_new) (void)call_.update(handle_, 1);
  }

  // All at once; one by one where it refuses them together, so that one that a device does not have
  // costs that one alone.
  void WatchFields(dcgm::Group group, const std::vector<unsigned short>& fields) {
    if (WatchTogether(group, fields)) return;
    for (const unsigned short field : fields) (void)WatchTogether(group, {field});
  }

  bool WatchTogether(dcgm::Group group, const std::vector<unsigned short>& fields) {
    const auto [found, is_new] = field_groups_.try_emplace(fields);
    if (is_new) {
      std::vector<unsigned short> numbers = fields;
      if (call_.make_fields(handle_, static_cast<int>(numbers.size()), numbers.data(),
                            NewName().c_str(), &found->second) != dcgm::kOk) {
        field_groups_.erase(found);
        return false;
      }
    }
    constexpr int kMostSamples = 2;
    const double interval_us = static_cast<double>(options_.interval.count()) * 1e3;
    const double keep_s = 3 * interval_us * 1e-6;
    return call_.watch(handle_, group, found->second, static_cast<long long>(interval_us), keep_s,
                       kMostSamples) == dcgm::kOk;
  }

  // Of all programs that the host engine knows: those in containers may have the same number.
  std::string NewName() { return fmt::format("rankscope-{}-{}", token_, ++names_); }

  Result<DeviceState> ReadOne(unsigned device) {
    DeviceState state;
    state.index = static_cast<int>(device);
    std::vector<unsigned short> numbers = {kName, kUuid, kSlowdowns, kXid};
    for (const Field& field : kFields) numbers.push_back(field.number);
    if (counting_ == Counting::kOn) {
      for (const Field& field : kCounters) numbers.push_back(field.number);
    }
    std::vector<dcgm::FieldValue> values(numbers.size());
    const Return told =
        call_.values(handle_, dcgm::kGpuEntity, static_cast<int>(device), numbers.data(),
                     static_cast<unsigned>(numbers.size()), values.data());
    if (told == dcgm::kConnectionNotValid || told == dcgm::kTimeout || told == dcgm::kUninitialized)
      return Gone("is gone", told);
    if (told == dcgm::kGpuIsLost) state.problem = std::string(kLost);
    if (told != dcgm::kOk) return state;
    for (const dcgm::FieldValue& value : values) Take(value, state);
    return state;
  }

  void Take(const dcgm::FieldValue& value, DeviceState& state) {
    if (value.status == dcgm::kGpuIsLost) state.problem = std::string(kLost);
    const Known number = NumberOf(value);
    if (value.field == kName) state.name = TextOf(value);
    if (value.field == kUuid) state.uuid = TextOf(value);
    if (value.field == kSlowdowns && number)
      state.slowed_by = SlowdownsOf(static_cast<std::uint64_t>(value.value.whole));
    if (value.field == kXid && number)
      xids_.Take(state.index, static_cast<unsigned>(std::min(*number, 1e6)), state);
    for (const std::span<const Field> fields :
         {std::span<const Field>(kFields), std::span<const Field>(kCounters)}) {
      const auto field = std::ranges::find(fields, value.field, &Field::number);
      if (field != fields.end() && number) state.*field->place = *number * field->factor;
    }
  }

  static constexpr std::string_view kLost = "the host engine says that it is lost";

  const Functions call_;
  const DcgmOptions options_;
  dcgm::Handle handle_ = 0;
  bool is_connected_ = false;
  const std::string token_ = fmt::format("{}-{:08x}", getpid(), std::random_device{}());
  std::uint64_t names_ = 0;
  std::map<unsigned, dcgm::Group> watched_;  // by device
  std::map<std::vector<unsigned short>, dcgm::FieldGroup> field_groups_;
  LastXids xids_;
  Counting counting_ = Counting::kOn;
  bool is_told_ = true;         // what is to be counted, on this connection
  bool may_be_paused_ = false;  // by this program, on whichever connection
};

template <typename Function>
bool Find(void* library, const char* name, Function& place) {
  place = reinterpret_cast<Function>(dlsym(library, name));
  return place != nullptr;
}

// It is never unloaded: it leaves threads and handlers of its own.
void* Load(const std::string& library) {
  return dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

}  // namespace

Result<std::unique_ptr<Backend>> OpenDcgm(DcgmOptions options) {
  constexpr std::string_view kFour = ".so.4";
  void* opened = Load(options.library);
  const Status missing =
      opened == nullptr ? Error(StatusCode::kNotFound, "dcgm_engine: {}", dlerror()) : OkStatus();
  if (opened == nullptr && options.library.ends_with(kFour)) {
    opened = Load(options.library.substr(0, options.library.size() - 1) + "3");
  }
  if (opened == nullptr) return missing;
  Functions call;
  const bool is_dcgm =
      Find(opened, "dcgmInit", call.init) && Find(opened, "dcgmShutdown", call.shutdown) &&
      Find(opened, "dcgmConnect_v2", call.connect) &&
      Find(opened, "dcgmDisconnect", call.disconnect) &&
      Find(opened, "dcgmGetAllSupportedDevices", call.devices) &&
      Find(opened, "dcgmGroupCreate", call.make_group) &&
      Find(opened, "dcgmGroupAddDevice", call.add_device) &&
      Find(opened, "dcgmGroupDestroy", call.destroy_group) &&
      Find(opened, "dcgmFieldGroupCreate", call.make_fields) &&
      Find(opened, "dcgmWatchFields", call.watch) &&
      Find(opened, "dcgmUpdateAllFields", call.update) &&
      Find(opened, "dcgmEntityGetLatestValues", call.values) &&
      Find(opened, "dcgmProfPause", call.pause) && Find(opened, "dcgmProfResume", call.resume);
  const Return begun = is_dcgm ? call.init() : dcgm::kUninitialized;
  if (begun != dcgm::kOk) {
    dlclose(opened);
    return Error(StatusCode::kNotFound, "dcgm_engine: {}: {}", options.library,
                 is_dcgm ? fmt::format("does not begin (error {})", begun)
                         : "is not DCGM's library, of version 3 or 4");
  }
  return std::unique_ptr<Backend>(std::make_unique<Dcgm>(call, std::move(options)));
}

}  // namespace rankscope::device
