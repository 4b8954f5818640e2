#include "op_cost/device_name.h"

#include <algorithm>

namespace rankscope {

std::string_view NameOfDevice(const RankTrace& trace, std::int64_t id) {
  const auto& devices = trace.meta.devices;
  for (const DeviceProperties& device : devices) {
    if (device.id == id) return device.name;
  }
  const bool is_one_kind =
      !devices.empty() && std::ranges::all_of(devices, [&](const DeviceProperties& device) {
        return device.name == devices.front().name;
      });
  return is_one_kind ? std::string_view(devices.front().name) : std::string_view();
}

}  // namespace rankscope
