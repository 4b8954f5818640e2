// Attention over a sequence that is shared out over the ranks of a context group.
//
// Every rank has the queries of its share and attends to one block of keys and values after the
// other, its own first. Meanwhile the blocks go round: each rank sends the one that it has to the
// next rank of the group and receives that of the rank before, ranks - 1 times. The backward goes
// round the other way, and the gradients of keys and values travel behind their blocks: with
// `ranks` exchanges, of which the first carries no gradients and the last nothing else. Shares are
// made of a piece from either end of the sequence, so that under a causal mask all blocks take the
// same time. So do Megatron and Transformer Engine by default (`p2p`).
#pragma once

#include <cstdint>

#include "sim/model/catalog.h"
#include "sim/model/library.h"
#include "sim/model/program.h"
#include "sim/model/segment_builder.h"

namespace rankscope::sim {

struct RingExchange {
  const Communication* send = nullptr;
  const Communication* receive = nullptr;
};

struct ContextRing {
  int ranks = 1;
  std::uint32_t events = 0;  // four slots from here on, relative to the call's
  RingExchange forward;      // keys and values
  RingExchange backward_first, backward, backward_last;
};

// `attention` is the catalogue's operation on the rank's own block, which the library owns.
// `number` as for SegmentBuilder::Forward and Backward.
void RingForward(const ContextRing& ring, const OpUnit& attention, std::uint32_t number,
                 Library* library, SegmentBuilder* builder);
void RingBackward(const ContextRing& ring, const OpUnit& attention, std::uint32_t number,
                  Library* library, SegmentBuilder* builder);

}  // namespace rankscope::sim
