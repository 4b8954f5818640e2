// Links between the rows of one trace: parents, launches, forward and backward, event record and
// wait. A part of loading.
#pragma once

#include <span>

#include "trace/builder.h"
#include "trace/quality.h"
#include "trace/trace.h"

namespace rankscope {

// Fills parent, link, launch_kernels, forward_backward, record_wait, collectives[].row,
// begin_ns/finish_ns and steps of a trace whose rows are sorted.
//
// parent: the innermost row of the same track (host threads and annotations on a device) that is
// open when the row begins: among rows with begin <= t < end (a row with
//   equal begin and end of its own counts as a child of the one before it in row order). A row that
//   begins inside another and ends after it is still its child: nesting is by begin, so nothing is
//   dropped when a clock is a tick off. But one that begins within the last microsecond of another
//   and lies behind it for the larger part follows it: begins and durations are rounded each on
//   their own, so of two in a row the second may begin a tick before the first is over.
// link: by correlation id (trace/launch_index.h). A launching call is a kRuntime row; a second call
// of a process with the same id is ignored. Ids below 1 mean none. forward_backward: from fwdbwd
// flows; in traces without them from the autograd sequence number.
//
// O(rows log rows) in the worst case, linear for usual files.
void LinkTrace(RankTrace& trace, std::span<const FlowPoint> flows,
               std::span<const StatedStep> stated, QualityLog& quality);

}  // namespace rankscope
