#include "agent/telemetry/power_sources.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agent/base/fields.h"
#include "agent/base/small_file.h"
#include "agent/telemetry/reading_files.h"
#include "quantity/agent_metrics.h"

namespace rankscope::agent {
namespace {

using std::chrono::milliseconds;

std::optional<std::uint64_t> WholeIn(const std::string& path) {
  const Result<std::string> text = ReadSmallFile(path);
  const auto value = text.ok() ? NumberOf(*text) : std::nullopt;
  if (!value || *value < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*value);
}

Status ReadPowercap(const std::string& root, std::map<std::string, Unwrapped>& counters,
                    Readings& readings) {
  const std::string folder = root + "/sys/class/powercap";
  bool any = false;
  std::string refused;
  for (const std::string& zone : NamesIn(folder)) {
    // "intel-rapl:0" is a package, "intel-rapl:0:1" a part of it; AMD's are called so, too.
    const std::string at = folder + "/" + zone;
    const std::string name = FirstLineOf(at + "/name");
    if (name.empty() || zone.find(':') == std::string::npos) continue;
    const Result<std::string> text = ReadSmallFile(at + "/energy_uj");
    if (!text.ok()) {
      if (text.status().code() != StatusCode::kNotFound) refused = text.status().message();
      continue;
    }
    const auto value = NumberOf(*text);
    if (!value || *value < 0) {
      ++readings.unreadable;
      continue;
    }
    any = true;
    const std::uint64_t range = WholeIn(at + "/max_energy_range_uj").value_or(0);
    const std::uint64_t energy = counters[zone].Next(static_cast<std::uint64_t>(*value), range);
    readings.Add(quantity::kPowerEnergy, {{"zone", zone}, {"name", name}},
                 static_cast<double>(energy) * 1e-6);
  }
  if (any) return OkStatus();
  if (!refused.empty()) return Error(StatusCode::kIo, "{} (root may read it)", refused);
  return Error(StatusCode::kNotFound, "{}: no zone with energy", folder);
}

struct Sensor {
  std::string_view prefix;  // "temp1_input"
  std::string_view suffix;
  const quantity::Quantity& of;
  double factor;
};

constexpr std::array<Sensor, 4> kSensors = {{
    {"temp", "_input", quantity::kSensorTemperature, 1e-3},
    {"power", "_input", quantity::kSensorPower, 1e-6},
    {"power", "_average", quantity::kSensorPower, 1e-6},
    {"fan", "_input", quantity::kSensorFan, 1},
}};

Status ReadHwmon(const std::string& root, Readings& readings) {
  const std::string folder = root + "/sys/class/hwmon";
  bool any = false;
  for (const std::string& chip : NamesIn(folder)) {
    const std::string at = folder + "/" + chip;
    const std::string name = FirstLineOf(at + "/name");
    for (const std::string& file : NamesIn(at)) {
      for (const Sensor& sensor : kSensors) {
        if (!file.starts_with(sensor.prefix) || !file.ends_with(sensor.suffix)) continue;
        const std::string number = file.substr(0, file.size() - sensor.suffix.size());
        const std::string label = FirstLineOf(at + "/" + number + "_label");
        any = true;
        AddFile(readings, sensor.of,
                {{"chip", chip}, {"name", name}, {"sensor", label.empty() ? number : label}},
                at + "/" + file, sensor.factor);
      }
    }
  }
  return any ? OkStatus() : Error(StatusCode::kNotFound, "{}: no sensor", folder);
}

}  // namespace

std::uint64_t Unwrapped::Next(std::uint64_t value, std::uint64_t range) {
  if (value < before_ && range > 0) added_ += range;
  before_ = value;
  return added_ + value;
}

Source PowercapSource() {
  // The source is copied, its counters are not.
  const auto counters = std::make_shared<std::map<std::string, Unwrapped>>();
  return {"powercap", milliseconds(10'000),
          [counters](const std::string& root, Readings& readings) {
            return ReadPowercap(root, *counters, readings);
          }};
}

Source HwmonSource() { return {"hwmon", milliseconds(30'000), ReadHwmon}; }

}  // namespace rankscope::agent
