// Durations of device work that cannot be: works of a stream run one after the other, so a kernel
// that states 1.6 s although the next one on its stream begins after 1 ms did not take 1.6 s (some
// profilers write such ends, ROCm's among them).
#pragma once

#include "trace/quality.h"
#include "trace/trace.h"

namespace rankscope {

// Work that begins early (programmatic dependent launch) and rounding overlap by less than this.
inline constexpr std::int64_t kImpossibleNs = 1'000'000;

// Cuts a kernel that reaches kImpossibleNs or more, and half of its duration or more, into the next
// work of its stream, unless both begin together: its duration then ends where that begins, and
// trace.cut_work keeps what the file states. A stream where more than one kernel and more than a
// twentieth of them do so runs works side by side, as those of graphs do, and is left as it is.
// Needs sorted rows and links. O(rows).
void CutImpossibleWork(RankTrace& trace, QualityLog& quality);

}  // namespace rankscope
