// Edges along the call stacks of the host's threads.
#pragma once

#include "hta/critical_path/graph.h"
#include "hta/critical_path/runtime_lock.h"

namespace rankscope::hta {

// Each thread is walked from begin to end: every start and end of an event with nodes is reached
// from the one before it, by the time in between inside of an op and by order between ops. The end
// of a call that waits for the device is reached by order, since its time is the device's. What is
// between calls that share the runtime's lock is left to RuntimeLock.
//
// The stack is HTA's: an end closes the innermost open event, whichever event it is of, so that
// events that overlap without nesting swap their parents. A thread with an event on a stream has no
// stack. When one thread alone has ops or annotations that hold "autograd" and another one alone
// has some that hold "forward", the two are one thread. O(n log n), no recursion.
void AddCallStackEdges(const RuntimeLock& lock, Graph& graph);

}  // namespace rankscope::hta
