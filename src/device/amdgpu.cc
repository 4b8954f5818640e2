// AMD's devices, by the files that the driver amdgpu shows.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "device/device.h"

namespace rankscope::device {
namespace {

namespace fs = std::filesystem;

// A small file without its last line's end; nullopt when it cannot be read.
std::optional<std::string> TextOf(const fs::path& path) {
  std::ifstream file(path);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) return std::nullopt;
  std::string read = text.str();
  while (!read.empty() && (read.back() == '\n' || read.back() == ' ')) read.pop_back();
  return read;
}

Known NumberIn(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Known NumberOf(const fs::path& path, double factor) {
  const auto text = TextOf(path);
  const Known value = text ? NumberIn(*text) : std::nullopt;
  return value ? Known(*value * factor) : std::nullopt;
}

// "1: 1700Mhz *" is the clock of now.
Known ClockOf(const fs::path& path) {
  const auto text = TextOf(path);
  if (!text) return std::nullopt;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (line.find('*') == std::string::npos || colon == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(' ', colon + 1);
    const std::size_t last = line.find("Mhz", colon);
    if (first == std::string::npos || last == std::string::npos || last < first)
      return std::nullopt;
    const Known mhz = NumberIn(std::string_view(line).substr(first, last - first));
    return mhz ? Known(*mhz * 1e6) : std::nullopt;
  }
  return std::nullopt;
}

Known FirstOf(std::initializer_list<Known> values) {
  for (const Known& value : values) {
    if (value) return value;
  }
  return std::nullopt;
}

// "card0/device" is a link to "../../../0000:c1:00.0"; empty for what has no such address.
std::string AddressOf(const fs::path& device) {
  std::error_code error;
  std::string name = fs::read_symlink(device, error).filename().string();
  return !error && std::ranges::count(name, ':') == 2 ? name : std::string();
}

std::vector<fs::path> Cards(const std::string& root) {
  std::vector<std::pair<int, fs::path>> found;
  std::error_code error;
  const fs::path folder = root + "/sys/class/drm";
  for (auto one = fs::directory_iterator(folder, error); !error && one != fs::directory_iterator();
       one.increment(error)) {
    const std::string name = one->path().filename().string();
    int number = -1;
    if (!name.starts_with("card")) continue;
    const auto [end, wrong] = std::from_chars(name.data() + 4, name.data() + name.size(), number);
    // "card0-DP-1" is a plug.
    if (wrong != std::errc() || end != name.data() + name.size()) continue;
    if (TextOf(one->path() / "device" / "vendor") == "0x1002")
      found.emplace_back(number, one->path());
  }
  std::ranges::sort(found);
  std::vector<fs::path> cards;
  cards.reserve(found.size());
  for (auto& [number, path] : found) cards.push_back(std::move(path));
  return cards;
}

class Amdgpu final : public Backend {
 public:
  explicit Amdgpu(std::string root) : root_(std::move(root)) {}
  std::string_view name() const override { return "amdgpu"; }

  Result<std::vector<DeviceState>> Read() override {
    std::vector<DeviceState> states;
    for (const fs::path& card : Cards(root_)) {
      DeviceState state = ReadOne(card / "device");
      state.index = static_cast<int>(states.size());
      states.push_back(std::move(state));
    }
    if (states.empty())
      return Error(StatusCode::kNotFound, "amdgpu: {}/sys/class/drm has no device", root_);
    return states;
  }

 private:
  static DeviceState ReadOne(const fs::path& device) {
    DeviceState state;
    state.name = TextOf(device / "product_name").value_or("");
    state.uuid = TextOf(device / "unique_id").value_or("");
    state.pci_address = AddressOf(device);
    state.busy = NumberOf(device / "gpu_busy_percent", 0.01);
    state.memory_busy = NumberOf(device / "mem_busy_percent", 0.01);
    state.memory_used_bytes = NumberOf(device / "mem_info_vram_used", 1);
    state.memory_total_bytes = NumberOf(device / "mem_info_vram_total", 1);
    state.sm_clock_hz = ClockOf(device / "pp_dpm_sclk");
    state.memory_clock_hz = ClockOf(device / "pp_dpm_mclk");
    std::error_code error;
    for (auto one = fs::directory_iterator(device / "hwmon", error);
         !error && one != fs::directory_iterator(); one.increment(error)) {
      const fs::path& sensors = one->path();
      // In uW; newer devices have only the one of now. In thousandths of a degree: the junction's
      // where there is one.
      state.power_watts = FirstOf(
          {NumberOf(sensors / "power1_average", 1e-6), NumberOf(sensors / "power1_input", 1e-6)});
      state.power_limit_watts = NumberOf(sensors / "power1_cap", 1e-6);
      state.temperature_celsius = FirstOf(
          {NumberOf(sensors / "temp2_input", 1e-3), NumberOf(sensors / "temp1_input", 1e-3)});
    }
    ReadErrors(device / "ras", state);
    return state;
  }

  // "ue: 0\nce: 3" of each block that has a count.
  static void ReadErrors(const fs::path& folder, DeviceState& state) {
    std::error_code error;
    for (auto one = fs::directory_iterator(folder, error);
         !error && one != fs::directory_iterator(); one.increment(error)) {
      const auto text = TextOf(one->path());
      if (!text || !one->path().filename().string().ends_with("_err_count")) continue;
      std::istringstream words(*text);
      std::string key;
      double value = 0;
      while (words >> key >> value) {
        if (key == "ue:") state.uncorrected_errors = state.uncorrected_errors.value_or(0) + value;
        if (key == "ce:") state.corrected_errors = state.corrected_errors.value_or(0) + value;
      }
    }
  }

  const std::string root_;
};

}  // namespace

Result<std::unique_ptr<Backend>> OpenAmdgpu(const std::string& root) {
  if (Cards(root).empty())
    return Error(StatusCode::kNotFound, "amdgpu: {}/sys/class/drm has no device", root);
  return std::unique_ptr<Backend>(std::make_unique<Amdgpu>(root));
}

}  // namespace rankscope::device
