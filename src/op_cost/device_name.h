// The names of devices, which select their peaks.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace rankscope {

// The name of the device with this id; empty if the trace does not state it. AMD's traces number
// the devices of kernels machine-wide, but list the devices visible to the program from 0 on. So if
// all listed devices have the same name, an unlisted device gets that name, too.
std::string_view NameOfDevice(const RankTrace& trace, std::int64_t id);

}  // namespace rankscope
