// The launch time of device work, from its call to its begin.
#pragma once

#include <cstdint>

#include "base/interval.h"
#include "trace/trace.h"

namespace rankscope {

// The return of the work's call, which must be recorded. Work that begins later than kLaunchLimitNs
// after this was delayed by something unrecorded. For a copy or memset it is the begin of the call,
// since the call may itself wait for earlier work, as for copies from pageable memory.
std::int64_t HandedOverAt(const RankTrace& trace, Row work);
bool IsHeldUp(const RankTrace& trace, Row work);

// The end of the launching part of the time `waiting`, which ends when `work` begins and is after
// the begin of its call; the rest has another reason. A delayed copy has no such part, since its
// launch time is unknown.
std::int64_t LaunchingUntil(const RankTrace& trace, Row work, Interval waiting);

}  // namespace rankscope
