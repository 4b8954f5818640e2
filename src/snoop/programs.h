// The compiled BPF programs (bpf/snoop.bpf.c), as the build put them into this program.
#pragma once

#include <string_view>

namespace rankscope::snoop {

std::string_view ProgramBytes();

}  // namespace rankscope::snoop
