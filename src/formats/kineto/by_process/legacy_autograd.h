// torch.autograd.profiler as it was before Kineto (PyTorch 1.4 to 1.8), and as it still writes
// without it: rows of "CPU functions" are ops, (tid) threads; rows of "CUDA functions" are what an
// op's work took, by device (tid); arrows cpu_to_cuda lead from one to the other:
//
//   {"ph": "X", "pid": "CUDA functions", "tid": 0, "name": "mm", "ts": 400.0, "dur": 500.0}
//
// Kernels have the names of their ops: what ran is not told apart further.
#pragma once

#include "trace/builder.h"

namespace rankscope::kineto {

// False, and nothing is changed, when the trace has no such process.
bool ReadLegacyAutograd(UnsortedTrace& unsorted);

}  // namespace rankscope::kineto
