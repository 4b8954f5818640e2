// Counts Xids from a source that reports only a device's last one, like DCGM: every change counts.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "device/device.h"

namespace rankscope::device {

class LastXids {
 public:
  // `number` is the last Xid of the device `index`, 0 if there is none. The first one reported
  // dates from before. A repetition of the same Xid cannot be detected.
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
