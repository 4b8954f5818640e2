// How long device work is on its way from the call that launches it.
#pragma once

#include <cstdint>

#include "base/interval.h"
#include "trace/trace.h"

namespace rankscope {

// Work that begins later than kLaunchLimitNs after this was held up by something that was not
// recorded: the return of its call, which must be recorded. The call of a copy or memset may itself
// wait for work before it, as one from pageable memory does; there its begin.
std::int64_t HandedOverAt(const RankTrace& trace, Row work);
bool IsHeldUp(const RankTrace& trace, Row work);

// Of the time `waiting`, which ends when `work` begins and lies behind the begin of its call, how
// far it is launching; the rest has another reason. Of a copy that was held up none: how long it
// would have been on its way is not known.
std::int64_t LaunchingUntil(const RankTrace& trace, Row work, Interval waiting);

}  // namespace rankscope
