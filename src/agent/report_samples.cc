#include "agent/report_samples.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "agent/device_numbers.h"
#include "json/writer.h"
#include "quantity/slowdowns.h"

namespace rankscope::agent {
namespace {

// Of a report, which is bounded.
constexpr std::size_t kMostReadings = 20;
constexpr std::size_t kMostSamples = 1000;

// What is told of a device all the time: the rest goes with captures.
constexpr std::array<const quantity::Quantity*, 8> kTold = {
    &quantity::kDeviceBusy,         &quantity::kDevicePower,      &quantity::kDeviceSmClock,
    &quantity::kDeviceTemperature,  &quantity::kDeviceMemoryUsed, &quantity::kDeviceSmActive,
    &quantity::kDeviceTensorActive, &quantity::kDeviceDramActive};

class SamplesToReport {
 public:
  SamplesToReport() { writer_.BeginArray(); }
  void Add(std::int64_t unix_us, std::optional<std::int64_t> device, std::string_view name,
           double value) {
    writer_.BeginArray().Write(unix_us / 1000).Write(device).Write(name).Write(value).EndArray();
  }
  std::string Done() && {
    writer_.EndArray();
    return std::move(json_);
  }

 private:
  std::string json_;
  json::Writer writer_{json_};
};

void AddDevice(std::int64_t unix_us, const device::DeviceState& state, SamplesToReport& samples) {
  for (const DeviceNumber& number : DeviceNumbers()) {
    const device::Known value = state.*number.place;
    if (value && std::ranges::find(kTold, number.quantity) != kTold.end())
      samples.Add(unix_us, state.index, number.quantity->name, *value);
  }
  if (!state.slowed_by) return;
  const bool is_slowed = std::ranges::any_of(*state.slowed_by, quantity::IsDefect);
  samples.Add(unix_us, state.index, quantity::kDeviceSlowed.name, is_slowed ? 1 : 0);
}

}  // namespace

std::string ReportSamples::Next() {
  const auto devices = devices_.From(next_device_, kMostReadings);
  const auto host = host_.From(next_host_, kMostSamples);
  SamplesToReport samples;
  for (const DevicesThen& then : devices.items) {
    for (const device::DeviceState& state : then.states) AddDevice(then.unix_us, state, samples);
  }
  for (const HostSample& one : host.items) {
    // Of single processes there are the captures.
    if (one.pid == 0) samples.Add(one.unix_us, std::nullopt, one.quantity->name, one.value);
  }
  given_device_ = devices.next;
  given_host_ = host.next;
  given_ = devices.items.size() + host.items.size();
  given_lost_ = devices.lost + host.lost;
  return std::move(samples).Done();
}

void ReportSamples::Arrived() {
  next_device_ = given_device_;
  next_host_ = given_host_;
  sent_ += given_;
  lost_ += given_lost_;
}

}  // namespace rankscope::agent
