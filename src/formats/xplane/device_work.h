// Classifies an event of a device and parses the texts with details of its kernel or copy.
#pragma once

#include <cstdint>
#include <string_view>

#include "trace/hlo_name.h"
#include "trace/trace.h"

namespace rankscope::xplane {

// Copies and memsets get Kineto's names; kernels lose the suffix ".kd".
struct DeviceWork {
  EventKind kind = EventKind::kKernel;  // or kMemcpy, kMemset
  std::string_view name;
};
DeviceWork WorkNamed(std::string_view name, HloRole role, bool has_copy_details);

// Parses "regs:32 static_shared:0 dynamic_shared:0 grid:4,2,1 block:256,1,1 occ_pct:75".
KernelArgs ReadKernelDetails(std::string_view text);

// Parses "kind_src:pageable kind_dst:device size:4096 dest:0 async:1"; -1 if the size is missing.
std::int64_t BytesOfCopy(std::string_view details);

// Kineto's name for a copy: "MemcpyH2D" is "Memcpy HtoD". Other names stay.
std::string_view CopyName(std::string_view name);

}  // namespace rankscope::xplane
