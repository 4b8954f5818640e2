// Xids: the numbers of errors that NVIDIA's driver reports of a device.
#pragma once

#include <cstdint>
#include <string_view>

#include "device/device.h"

namespace rankscope::device {

struct Xid {
  unsigned number = 0;
  Verdict verdict = Verdict::kOk;  // of the device, once it was reported
  std::string_view meaning;        // in a few words
};

// Null: it says nothing of the device's health (most are errors of the program that runs on it), or
// it is not known here. Meanings by NVIDIA's document "Xid Errors".
const Xid* FindXid(unsigned number);

}  // namespace rankscope::device
