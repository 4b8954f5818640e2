// The names of devices, by which their peaks are found.
#pragma once

#include <string_view>

#include "trace/trace.h"

namespace rankscope {

// The name of the device with this id; empty when the trace does not state it. AMD's traces number
// the devices of kernels as the machine does, but list those that the program sees from 0 on: where
// all listed devices have one name, a device that is not listed has it, too.
std::string_view NameOfDevice(const RankTrace& trace, std::int64_t id);

}  // namespace rankscope
