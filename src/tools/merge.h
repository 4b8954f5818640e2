// Merge: the traces of several ranks, or several recordings, as one document on one time line that
// reads back as the traces it was made of (formats/kineto/edit/merged.h). Pieces of a split trace
// become the whole again; merged documents are taken apart first.
//
// Two passes over every file on all cores; memory: about 4 MB per thread, the outer values of all
// traces, and 3 MB per piece of a split trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/write_traces.h"

namespace rankscope::tools {

// How a rank's clock differs from the job's.
struct ClockOffset {
  std::int64_t offset_ns = 0;        // its times less the job's
  std::int64_t uncertainty_ns = -1;  // -1: not known
};

// The traces that files hold, in the order of rank and time of their begin: pieces of one split
// trace are one. `names` in a merged document are paths below the folder that all have in common.
Result<std::vector<TraceToWrite>> TracesOf(const std::vector<std::string>& paths, int threads,
                                           std::vector<std::string>& losses);

// Writes them as one document; a single trace that is made of pieces is written as it was. Offsets
// that are not whole microseconds are rounded to them, so that numbers keep their decimals.
Result<Written> MergeTraces(std::vector<TraceToWrite> traces,
                            const std::function<ClockOffset(const TraceToWrite&)>& clock_of,
                            const std::string& to, int threads);

}  // namespace rankscope::tools
