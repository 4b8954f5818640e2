// Impossible durations of device work. Work on a stream runs sequentially, so a kernel with a
// stated duration of 1.6 s did not take 1.6 s if the next one on its stream begins after 1 ms. Some
// profilers write such ends, including ROCm's.
#pragma once

#include "trace/quality.h"
#include "trace/trace.h"

namespace rankscope {

// Overlap from early begins (programmatic dependent launch) and from rounding is less than this.
inline constexpr std::int64_t kImpossibleNs = 1'000'000;

// Cuts a kernel that overlaps the next work of its stream by kImpossibleNs or more, and by half of
// its duration or more, unless both begin together. Its duration then ends where the next work
// begins, and trace.cut_work keeps the file's value. If more than one kernel and more than a
// twentieth of a stream's kernels do so, the stream runs work concurrently, like streams of graphs,
// and is not changed. Needs sorted rows and links. O(rows).
void CutImpossibleWork(RankTrace& trace, QualityLog& quality);

}  // namespace rankscope
