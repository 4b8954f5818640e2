// Ring attention: the ranks of a context group share every sequence.
//
// Every rank has the queries of its share and attends to one block of keys and values after the
// other, starting with its own. Meanwhile the blocks go round the ring: each rank sends its current
// block to the next rank of the group and receives the block of the previous rank, ranks - 1 times.
// The backward goes round the other way, and the gradients of keys and values follow their blocks.
// It takes `ranks` exchanges: the first carries no gradients, the last only gradients. A share
// consists of one piece from either end of the sequence, so that all blocks take the same time
// under a causal mask. Megatron and Transformer Engine do the same by default (`p2p`).
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
  std::uint32_t events = 0;  // the first of four slots, relative to the call's
  RingExchange forward;      // keys and values
  RingExchange backward_first, backward, backward_last;
};

// `attention` is the catalogue's operation on the rank's own block; the library owns it. `number`
// as in SegmentBuilder::Forward and Backward.
void RingForward(const ContextRing& ring, const OpUnit& attention, std::uint32_t number,
                 Library* library, SegmentBuilder* builder);
void RingBackward(const ContextRing& ring, const OpUnit& attention, std::uint32_t number,
                  Library* library, SegmentBuilder* builder);

}  // namespace rankscope::sim
