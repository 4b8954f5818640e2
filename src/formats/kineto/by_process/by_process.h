// Classifies rows without a category by the name of their process; profilers other than Kineto
// write such files. The first reader in this list that knows a process of the file reads it. A
// reader does not change a file that it does not know.
//
// - torch_npu's trace_view.json: Ascend's devices (ascend.h);
// - the profiler of JAX and TensorFlow as JSON (xla.h);
// - torch.autograd.profiler before Kineto: "CPU functions" and "CUDA functions"
//   (legacy_autograd.h).
#pragma once

#include "trace/builder.h"

namespace rankscope::kineto {

// For TraceBuilder::Adapt. O(rows), and O(n log n) in rows at the ends of arrows.
void ReadByProcess(UnsortedTrace& unsorted);

}  // namespace rankscope::kineto
