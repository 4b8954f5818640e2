// Communications: their names and launches as in PyTorch's NCCL process group.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/model/library.h"
#include "sim/model/program.h"

namespace rankscope::sim {

// Where a communication happens: the slots of a rank's place (layout.h), the stream of its group,
// and how far apart its members are.
struct Where {
  int group_slot = 0;
  int channel_slot = 0;
  Stream stream = Stream::kCommunication;
  Reach reach;
  bool coalesced = false;  // launched as batch_isend_irecv does
};

// One side of a send over the channel.
const Communication* AddSend(Library* library, const Where& where, std::int64_t elements);
const Communication* AddReceive(Library* library, const Where& where, std::int64_t elements);

// The element type of a communication.
struct ElementType {
  std::string_view name;
  std::int64_t bytes = 0;
};
inline constexpr ElementType kBfloat16{"BFloat16", 2};
inline constexpr ElementType kInt64{"Long", 8};

// `elements` is the size of the full buffer, counted as in network.h.
const Communication* AddCommunication(Library* library, Exchange exchange, const Where& where,
                                      std::int64_t elements, const ElementType& type = kBfloat16);

}  // namespace rankscope::sim
