// Reads the output of rocprofv3 with --output-format json: kernels, copies, calls of HIP and other
// libraries, and roctx ranges of one process.
//
// Meaning of the records: include/rocprofiler-sdk/buffer_tracing.h of ROCprofiler-SDK. Times are
// those of CLOCK_BOOTTIME, so the trace has no base. The internal correlation id joins a kernel
// with its launch. Grids are counted in work-groups, as in CUDA. If a file has several processes
// (one entry each), all are read; streams of one device then share one timeline.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/read_options.h"
#include "trace/trace.h"

namespace rankscope::rocprofv3 {

bool IsTrace(std::string_view head);

// The whole text is in memory while it is read, at most 2 GiB. A document that was cut off yields
// the records before the cut.
Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options = {});
Result<RankTrace> ReadTrace(ByteSource& source, const std::string& path);

}  // namespace rankscope::rocprofv3
