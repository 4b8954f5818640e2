// Xids: error numbers that NVIDIA's driver reports for a device.
#pragma once

#include <cstdint>
#include <string_view>

#include "device/device.h"

namespace rankscope::device {

struct Xid {
  unsigned number = 0;
  Verdict verdict = Verdict::kOk;  // of the device after such a report
  std::string_view meaning;        // in a few words
};

// Null: it does not concern the device's health (most Xids are errors of the running program), or
// it is unknown here. Meanings from NVIDIA's document "Xid Errors".
const Xid* FindXid(unsigned number);

}  // namespace rankscope::device
