// What an event of a host thread is, by its name.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace rankscope::xplane {

struct HostRow {
  EventKind kind = EventKind::kCpuOp;
  std::string_view category;
  std::string_view name;
};

// "$train.py:12 step" is a Python call, and loses its "$". TensorFlow names calls of the device API
// as what they launch: these are told by their correlation.
HostRow HostRowNamed(std::string_view name, bool has_correlation);

}  // namespace rankscope::xplane
