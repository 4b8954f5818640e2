// torch.autograd.profiler before Kineto (PyTorch 1.4 to 1.8), and its output today without Kineto.
// Rows of "CPU functions" are ops, by thread (tid). Rows of "CUDA functions" are the device time of
// an op's work, by device (tid). Arrows cpu_to_cuda lead from one to the other:
//
//   {"ph": "X", "pid": "CUDA functions", "tid": 0, "name": "mm", "ts": 400.0, "dur": 500.0}
//
// Kernels have the names of their ops: the file does not tell which kernel ran.
#pragma once

#include "trace/builder.h"

namespace rankscope::kineto {

// False, with nothing changed, when the trace has no such process.
bool ReadLegacyAutograd(UnsortedTrace& unsorted);

}  // namespace rankscope::kineto
