// Collectives of gloo, executed by separate host threads: "gloo:all_reduce".
#pragma once

#include <string_view>

#include "base/interval.h"
#include "trace/trace.h"

namespace rankscope {

// Whether the row is such a collective: an op or range of a host thread.
bool IsCollectiveOfGloo(const RankTrace& trace, Row row);

// Its exchange with the other ranks. For device tensors the thread first waits until they have been
// copied to the host, and finally copies the result back. The exchange is the longest stretch of
// the row outside calls of the device API; without such calls it is the whole row.
//
//   gloo:all_reduce |~cudaStreamSynchronize~|------ exchange ------|cudaMemcpyAsync|
Interval ExchangeOfGloo(const RankTrace& trace, Row row);

}  // namespace rankscope
