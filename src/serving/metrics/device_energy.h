// The energy drawn by the devices of a serving program between two moments.
//
// It comes from a device's energy counter if its exporter has one, else from its power, which
// changes evenly between two readings. Energy grows evenly between readings of a counter. A counter
// that falls was reset (its driver was loaded again): the energy drawn meanwhile is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

// If both DCGM's exporter and the agent were read, devices would count twice, since names do not
// show which are the same. Then the agent's readings are left out, and a note says so.
void KeepOneExporter(ServingData& data);

class DeviceEnergy {
 public:
  // O(n log n).
  explicit DeviceEnergy(std::span<const PowerReading> readings);

  std::size_t devices() const { return devices_.size(); }
  // The time in which every device was read; begin >= end if there is none.
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }
  // Joules of all devices. nullopt outside that time, and if a counter was reset in it.
  // O(devices * log n).
  std::optional<double> Between(std::int64_t begin, std::int64_t end) const;

 private:
  struct Device {
    std::vector<std::int64_t> times;
    std::vector<double> joules;            // since the first reading; grows evenly between two
    std::vector<std::int64_t> began_anew;  // readings behind which nothing is known until the next
  };
  static double At(const Device& device, std::int64_t time);
  static bool IsKnown(const Device& device, std::int64_t begin, std::int64_t end);

  std::vector<Device> devices_;
  std::int64_t begin_ = 0, end_ = 0;
};

}  // namespace rankscope::serving
