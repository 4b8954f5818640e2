// Reads what rocprofv3 writes with --output-format json: kernels, copies, calls of HIP and of other
// libraries, and roctx ranges of one process.
//
// Meaning of the records: include/rocprofiler-sdk/buffer_tracing.h of ROCprofiler-SDK. Times are
// those of CLOCK_BOOTTIME, so the trace has no base. A kernel is joined to its launch by the
// internal correlation id. Grids are counted in work-groups, as CUDA's are. Of several processes in
// one file (one entry each) all are read; streams of one device are then one timeline.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/read_options.h"
#include "trace/trace.h"

namespace rankscope::rocprofv3 {

bool IsTrace(std::string_view head);

// The whole text is in memory while it is read, at most 2 GiB. A document that was cut off gives
// the records before that place.
Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options = {});
Result<RankTrace> ReadTrace(ByteSource& source, const std::string& path);

}  // namespace rankscope::rocprofv3
