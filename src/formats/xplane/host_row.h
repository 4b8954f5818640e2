// Classifies an event of a host thread by its name.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace rankscope::xplane {

struct HostRow {
  EventKind kind = EventKind::kCpuOp;
  std::string_view category;
  std::string_view name;
};

// "$train.py:12 step" is a Python call; its "$" is removed. TensorFlow names calls of the device
// API after the work that they launch; their correlation identifies them as calls.
HostRow HostRowNamed(std::string_view name, bool has_correlation);

}  // namespace rankscope::xplane
