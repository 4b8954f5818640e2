// What the texts beside an event of a device say of its kernel or copy.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/trace.h"

namespace rankscope::xplane {

// "regs:32 static_shared:0 dynamic_shared:0 grid:4,2,1 block:256,1,1 occ_pct:75".
KernelArgs ReadKernelDetails(std::string_view text);

// Of "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"; -1 where it says nothing.
std::int64_t BytesOfCopy(std::string_view details);

// As Kineto names it: of "MemcpyH2D" "Memcpy HtoD". Other names stay.
std::string_view CopyName(std::string_view name);

}  // namespace rankscope::xplane
