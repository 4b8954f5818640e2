// Merge: combines the traces of several ranks, or several recordings, into one document on one time
// line. It can be read back as the original traces (formats/kineto/edit/merged.h). Pieces of a
// split trace are joined first; merged documents are split first.
//
// Two passes over every file on all cores. Memory: about 4 MB per thread, the outer values of all
// traces, and 3 MB per piece of a split trace.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/write_traces.h"

namespace rankscope::tools {

// The difference between a rank's clock and the job's clock.
struct ClockOffset {
  std::int64_t offset_ns = 0;        // rank's time minus job's time
  std::int64_t uncertainty_ns = -1;  // -1: unknown
};

// The traces in these files, sorted by rank and begin time; the pieces of a split trace count as
// one. Names in a merged document are paths relative to the common folder.
Result<std::vector<TraceToWrite>> TracesOf(const std::vector<std::string>& paths, int threads,
                                           std::vector<std::string>& losses);

// Writes them as one document; a single trace made of pieces is written in its original form.
// Offsets are rounded to whole microseconds, so that numbers keep their decimals.
Result<Written> MergeTraces(std::vector<TraceToWrite> traces,
                            const std::function<ClockOffset(const TraceToWrite&)>& clock_of,
                            const std::string& to, int threads);

}  // namespace rankscope::tools
