// The profiler of JAX and TensorFlow as Chrome's JSON: NAME.trace.json.gz beside NAME.xplane.pb,
// and perfetto_trace.json.gz of create_perfetto_trace. Processes and threads are the planes and
// lines of an XPlane (formats/xplane/reader.h); rows have the meaning of its events:
//
//   {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "/device:GPU:0"}}
//   {"ph": "M", "pid": 1, "tid": 20, "name": "thread_name",
//    "args": {"name": "Stream #20(Compute)"}}
//   {"ph": "X", "pid": 1, "tid": 20, "ts": 10.5, "dur": 2.25, "name": "gemm_fusion_dot_3",
//    "args": {"correlation_id": "5", "kernel_details": "regs:90 grid:128,1,1 block:128,1,1 ..."}}
//
// The profiler writes at most the million longest events, and no device model. The XPlane file of
// the same recording has everything.
#pragma once

#include "trace/builder.h"

namespace rankscope::kineto {

// False, with nothing changed, when the trace has no process of an XLA device.
bool ReadXla(UnsortedTrace& unsorted);

}  // namespace rankscope::kineto
