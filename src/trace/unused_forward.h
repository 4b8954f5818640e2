// Forward work that was recorded for autograd, and of which no backward comes.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

// For each row 1 when it is of a host thread inside of such work, else 0; empty when there is none.
//
// An op that records itself for autograd has a sequence number, and the node that the engine
// evaluates for it has that number, too. Unused is a run of four ops and more, one behind the
// other, with a product, a convolution or attention among them, whose numbers no node has, where
// each has its like in the same step (the same name and inputs) whose number one has. Told only
// where the thread goes on to ops whose backward was recorded: a recording may end between forward
// and backward.
//
// Numbers must be what they seem: of those of which the last op or the node is a product, a
// convolution or attention 98 of 100 are that on both sides, or nothing is told.
//
// What runs under no_grad has no numbers; nor does an op of its own kind (a frozen encoder,
// metrics) count, which has no like with a backward. Linear, but for steps: log of their number.
std::vector<std::uint8_t> UnusedForwardRows(const RankTrace& trace);

}  // namespace rankscope
