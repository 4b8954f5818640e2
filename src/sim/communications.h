// Communications as PyTorch's NCCL process group names and launches them.
#pragma once

#include <cstdint>

#include "sim/library.h"
#include "sim/program.h"

namespace rankscope::sim {

// Where a communication happens: the slots of a rank's place (layout.h), the stream of its group,
// and how far its members lie apart.
struct Where {
  int group_slot = 0;
  int channel_slot = 0;
  Stream stream = Stream::kCommunication;
  Reach reach;
};

// One side of a send over the channel.
const Communication* AddSend(Library* library, const Where& where, std::int64_t elements);
const Communication* AddReceive(Library* library, const Where& where, std::int64_t elements);

// `elements` of 2 bytes: the full buffer, as network.h counts.
const Communication* AddCommunication(Library* library, Exchange exchange, const Where& where,
                                      std::int64_t elements);

}  // namespace rankscope::sim
