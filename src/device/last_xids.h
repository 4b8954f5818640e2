// Xids of who tells only the last one that a device had, as DCGM does: what changes is counted.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "device/device.h"

namespace rankscope::device {

class LastXids {
 public:
  // `number` is the last one of the device `index`, 0 without any. The first that is told is of
  // before; the same one again cannot be told from before.
  void Take(int index, unsigned number, DeviceState& state);

 private:
  struct Xids {
    bool is_asked = false;
    unsigned last = 0;
    std::uint64_t count = 0;
    std::vector<unsigned> numbers;
  };
  std::map<int, Xids> xids_;
};

}  // namespace rankscope::device
