// Forward work that was recorded for autograd but has no backward.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

// For each row 1 if it is on a host thread inside such work, else 0; empty if there is none.
//
// An op that records itself for autograd has a sequence number, and the node that the engine
// evaluates for it has the same number. Unused work is a run of at least four consecutive ops,
// including a product, a convolution or attention, without nodes for their numbers, where each op
// has an equal op (name and inputs) in the same step that has a node. It counts only if the thread
// continues with ops that have a recorded backward, since a recording may end between forward and
// backward.
//
// The numbers are checked: of those where the last op or the node is a product, a convolution or
// attention, 98 of 100 must agree on both sides; otherwise nothing is reported.
//
// Work under no_grad has no numbers. An op without an equal op that has a backward (a frozen
// encoder, metrics) does not count either. Linear, times the log of the number of steps.
std::vector<std::uint8_t> UnusedForwardRows(const RankTrace& trace);

}  // namespace rankscope
