// torch_npu's trace_view.json: one process of PyTorch and the Ascend NPU that it drives. Rows of
// the Python process have categories as Kineto's have; all others are told by their process:
//
// - "Ascend Hardware": tasks by stream (tid), args "Task Type": AI_CORE, AI_VECTOR_CORE, MIX_AIC,
//   MIX_AIV, AI_CPU, DSA_SQE compute; MEMCPY_ASYNC copies; EVENT_WAIT and its like wait. Parts of
//   collectives (SDMA, Notify Wait, Write Value) and the profiler's own tasks are no work.
// - "HCCL", since CANN 8 "Communication": collectives on threads "Group N Communication", such as
//   hcom_allReduce__586_0_1 (group 586, its first), and their parts on threads "Plane N".
// - "CANN": calls of the host, on the threads of the Python process.
// - "Overlap Analysis" and counters: made of the others, no work of their own.
//
// connection_id joins a call with its tasks and its collective. The lowest five bits of a process
// of a device are the number of the device.
#pragma once

#include "trace/builder.h"

namespace rankscope::kineto {

// The name of the device, whose model such files do not say.
inline constexpr std::string_view kAscendDevice = "Ascend NPU";

// False, and nothing is changed, when the trace has none of these processes.
bool ReadAscend(UnsortedTrace& unsorted);

}  // namespace rankscope::kineto
