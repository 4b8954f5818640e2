// Collectives of gloo, which host threads of their own carry out: "gloo:all_reduce".
#pragma once

#include <string_view>

#include "base/interval.h"
#include "trace/trace.h"

namespace rankscope {

// Whether the row is such a collective: an op or range of a host thread.
bool IsCollectiveOfGloo(const RankTrace& trace, Row row);

// Its exchange with the other ranks. Of tensors of a device the thread first waits until they have
// been copied to the host, and copies the result back at last: the exchange is the longest stretch
// of the row in no call of the device's API, which is all of it where there is no such call.
//
//   gloo:all_reduce |~cudaStreamSynchronize~|------ exchange ------|cudaMemcpyAsync|
Interval ExchangeOfGloo(const RankTrace& trace, Row row);

}  // namespace rankscope
