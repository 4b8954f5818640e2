// Reads XPlane files (.xplane.pb), which the profilers of JAX and TensorFlow write: device work of
// GPUs and TPUs, calls of the device API, host ranges, Python calls.
//
// Meaning of the messages: tsl/profiler/protobuf/xplane.proto of XLA. Times are whole picoseconds
// from the begin of their line. Begins and ends are rounded down to nanoseconds, so that events
// that touched or nested still do.
//
// A file is one process with all its devices. Device work is on the lines of streams; on a device
// without streams (a TPU) on the lines of XLA ops (device_line.h). Other lines of devices (modules,
// name scopes, asynchronous ops) become device annotations; the line "Steps" also gives the steps.
// Host events with a step number become step marks, "ProfilerStep#N"; those with a correlation id
// become calls. Kernels lose the suffix ".kd", and copies get Kineto's names.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/read_options.h"
#include "trace/trace.h"

namespace rankscope::xplane {

bool IsTrace(std::string_view head);

// The file is in memory while it is read, at most 2 GiB. A damaged file yields what is complete
// before the damage.
Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options = {});
Result<RankTrace> ReadTrace(std::string_view bytes, const std::string& path);

}  // namespace rankscope::xplane
