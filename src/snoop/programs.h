// The compiled BPF programs (bpf/*.bpf.c), as the build put them into this program.
#pragma once

#include <string_view>

namespace rankscope::snoop {

std::string_view SnoopBytes();
std::string_view OffCpuBytes();

}  // namespace rankscope::snoop
