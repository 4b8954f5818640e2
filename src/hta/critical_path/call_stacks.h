// Edges along the call stacks of the host's threads.
#pragma once

#include "hta/critical_path/graph.h"
#include "hta/critical_path/runtime_lock.h"

namespace rankscope::hta {

// Each thread is walked from begin to end. Every start and end of an event with nodes gets an edge
// from the previous one: with the time in between inside of an op, as pure order between ops. The
// end of a call that waits for the device gets a pure order edge, since its time belongs to the
// device. What is between calls that share the runtime's lock is left to RuntimeLock.
//
// The stack is HTA's: an end closes the innermost open event, even if it belongs to another event,
// so that events that overlap without nesting swap their parents. A thread with an event on a
// stream has no stack. If exactly one thread has ops or annotations with "autograd" in the name,
// and exactly one other thread has some with "forward", both count as one thread. O(n log n), no
// recursion.
void AddCallStackEdges(const RuntimeLock& lock, Graph& graph);

}  // namespace rankscope::hta
