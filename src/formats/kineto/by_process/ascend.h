// torch_npu's trace_view.json: one process of PyTorch and the Ascend NPU that it uses. Rows of the
// Python process have Kineto's categories; the process name identifies all others:
//
// - "Ascend Hardware": tasks by stream (tid), args "Task Type": AI_CORE, AI_VECTOR_CORE, MIX_AIC,
//   MIX_AIV, AI_CPU, DSA_SQE compute; MEMCPY_ASYNC copies; EVENT_WAIT and the like wait. Parts of
//   collectives (SDMA, Notify Wait, Write Value) and the profiler's own tasks are not work.
// - "HCCL", since CANN 8 "Communication": collectives on threads "Group N Communication", such as
//   hcom_allReduce__586_0_1 (group 586, its first), and their parts on threads "Plane N".
// - "CANN": calls of the host, on the threads of the Python process.
// - "Overlap Analysis" and counters: derived from the others, not work.
//
// connection_id joins a call with its tasks and its collective. The lowest five bits of a device
// process's pid are the device number.
#pragma once

#include "trace/builder.h"

namespace rankscope::kineto {

// The device's name; such files do not contain its model.
inline constexpr std::string_view kAscendDevice = "Ascend NPU";

// False, with nothing changed, when the trace has none of these processes.
bool ReadAscend(UnsortedTrace& unsorted);

}  // namespace rankscope::kineto
