// What the devices beside a serving program drew between two moments.
//
// By a device's counter of energy where its exporter tells one, else by its power, which changes
// evenly between two readings. Between readings of a counter, too, energy grows evenly. A counter
// that falls began anew (its driver was loaded again): what was drawn meanwhile is not known.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "serving/base/data.h"

namespace rankscope::serving {

// Where DCGM's exporter and the agent were read, devices would count twice, since names do not tell
// which are the same: the agent's readings go, and a note says so.
void KeepOneExporter(ServingData& data);

class DeviceEnergy {
 public:
  // O(n log n).
  explicit DeviceEnergy(std::span<const PowerReading> readings);

  std::size_t devices() const { return devices_.size(); }
  // The time in which each device was read; begin >= end where there is none.
  std::int64_t begin() const { return begin_; }
  std::int64_t end() const { return end_; }
  // Joules of all devices. nullopt outside of that time, and where a counter began anew in it.
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
