// What an event of a device is, and what the texts beside it say of its kernel or copy.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/hlo_name.h"
#include "trace/trace.h"

namespace rankscope::xplane {

// Copies and memsets are named as Kineto names them, kernels lose the ending ".kd".
struct DeviceWork {
  EventKind kind = EventKind::kKernel;  // or kMemcpy, kMemset
  std::string_view name;
};
DeviceWork WorkNamed(std::string_view name, HloRole role, bool has_copy_details);

// "regs:32 static_shared:0 dynamic_shared:0 grid:4,2,1 block:256,1,1 occ_pct:75".
KernelArgs ReadKernelDetails(std::string_view text);

// Of "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"; -1 where it says nothing.
std::int64_t BytesOfCopy(std::string_view details);

// As Kineto names it: of "MemcpyH2D" "Memcpy HtoD". Other names stay.
std::string_view CopyName(std::string_view name);

}  // namespace rankscope::xplane
