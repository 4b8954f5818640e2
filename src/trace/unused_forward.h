// Forward work like that of the training's own, of which no backward comes.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/trace.h"

namespace rankscope {

enum class ForwardUse : std::uint8_t {
  kUsed,             // or no such work
  kUnused,           // recorded for autograd, without a backward
  kWithoutGradients  // under torch.no_grad() or inference_mode()
};

// Of each row, on host threads; empty if all are kUsed.
//
// An op that records itself for autograd has a sequence number, and the node that the engine
// evaluates for it has the same number; under no_grad it has none. Unused work is a run of at least
// four consecutive ops, including a product, a convolution or attention, without nodes for their
// numbers, where each op has an equal op (name and inputs) in the same step that has a node. Work
// without gradients is such a run of ops without numbers, where each has, or holds, an equal of an
// op that has a node. Either counts only if the thread continues with ops that have a recorded
// backward, since a recording may end between forward and backward.
//
// The numbers are checked: of those where the last op or the node is a product, a convolution or
// attention, 98 of 100 must agree on both sides; otherwise nothing is reported.
//
// Work without an equal op that has a backward (a frozen encoder, metrics) does not count. Linear,
// times the log of the number of steps.
std::vector<ForwardUse> ForwardUses(const RankTrace& trace);

}  // namespace rankscope
