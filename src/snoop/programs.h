// The compiled BPF programs (bpf/*.bpf.c), which the build embeds into this program.
#pragma once

#include <string_view>

namespace rankscope::snoop {

std::string_view SnoopBytes();
std::string_view OffCpuBytes();

}  // namespace rankscope::snoop
