#include "serving/metrics/device_energy.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>

namespace rankscope::serving {
namespace {

double Seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

// What was drawn from one reading to the next; below 0: unknown.
double Drawn(const PowerReading& from, const PowerReading& to, bool has_counter) {
  if (has_counter) return *to.joules - *from.joules;
  return (*from.watts + *to.watts) / 2 * Seconds(*to.time - *from.time);
}

}  // namespace

void KeepOneExporter(ServingData& data) {
  const auto is_of_agent = [](const PowerReading& reading) { return reading.is_of_agent; };
  if (std::ranges::none_of(data.power, is_of_agent) || std::ranges::all_of(data.power, is_of_agent))
    return;
  std::erase_if(data.power, is_of_agent);
  data.notes.emplace_back(
      "DCGM's exporter and rankscope-agent both tell what devices draw: energy is DCGM's alone, so "
      "that no device counts twice");
}

DeviceEnergy::DeviceEnergy(std::span<const PowerReading> readings) {
  std::map<std::string, std::vector<const PowerReading*>> by_device;
  for (const PowerReading& reading : readings)
    if (reading.time) by_device[reading.device].push_back(&reading);
  begin_ = std::numeric_limits<std::int64_t>::min();
  end_ = std::numeric_limits<std::int64_t>::max();
  for (auto& [name, of_device] : by_device) {
    const auto counts = [](const PowerReading* one) { return one->joules.has_value(); };
    const bool has_counter = std::ranges::count_if(of_device, counts) >= 2;
    std::erase_if(of_device, [&](const PowerReading* one) {
      return has_counter ? !one->joules : !one->watts;
    });
    std::ranges::stable_sort(of_device, {}, [](const PowerReading* one) { return *one->time; });
    if (of_device.size() < 2) continue;
    Device device;
    double sum = 0;
    for (std::size_t i = 0; i < of_device.size(); ++i) {
      const double drawn = i > 0 ? Drawn(*of_device[i - 1], *of_device[i], has_counter) : 0;
      if (drawn < 0) device.began_anew.push_back(*of_device[i - 1]->time);
      sum += std::max(drawn, 0.0);
      device.times.push_back(*of_device[i]->time);
      device.joules.push_back(sum);
    }
    begin_ = std::max(begin_, device.times.front());
    end_ = std::min(end_, device.times.back());
    devices_.push_back(std::move(device));
  }
  if (devices_.empty()) begin_ = end_ = 0;
}

double DeviceEnergy::At(const Device& device, std::int64_t time) {
  const auto next = std::ranges::lower_bound(device.times, time);
  const auto i = static_cast<std::size_t>(next - device.times.begin());
  if (*next == time) return device.joules[i];
  const double part =
      Seconds(time - device.times[i - 1]) / Seconds(device.times[i] - device.times[i - 1]);
  return device.joules[i - 1] + part * (device.joules[i] - device.joules[i - 1]);
}

bool DeviceEnergy::IsKnown(const Device& device, std::int64_t begin, std::int64_t end) {
  return std::ranges::none_of(device.began_anew, [&](std::int64_t from) {
    return from<end&& * std::ranges::upper_bound(device.times, from)> begin;
  });
}

std::optional<double> DeviceEnergy::Between(std::int64_t begin, std::int64_t end) const {
  if (devices_.empty() || begin < begin_ || end > end_ || begin > end) return std::nullopt;
  double sum = 0;
  for (const Device& device : devices_) {
    if (!IsKnown(device, begin, end)) return std::nullopt;
    sum += At(device, end) - At(device, begin);
  }
  return sum;
}

}  // namespace rankscope::serving
