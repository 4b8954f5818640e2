// Reads XPlane files (.xplane.pb), which the profilers of JAX and TensorFlow write: device work of
// GPUs and TPUs, calls of the device API, host ranges, Python calls.
//
// Meaning of the messages: tsl/profiler/protobuf/xplane.proto of XLA. Times are whole picoseconds
// from the begin of their line; begins and ends are rounded down to nanoseconds, so that what
// touched or nested still does.
//
// A file is one process with all its devices. Device work are the lines of streams; on a device
// that has none (a TPU) the lines of XLA ops (device_line.h). Other lines of devices (modules, name
// scopes, asynchronous ops) are device annotations; of these "Steps" also states the steps. Host
// events with a step number are marks of steps, "ProfilerStep#N"; those with a correlation id are
// calls. Kernels lose the ending ".kd", and copies are named as Kineto names them.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/read_options.h"
#include "trace/trace.h"

namespace rankscope::xplane {

bool IsTrace(std::string_view head);

// The file is in memory while it is read, at most 2 GiB. What is whole before a place of damage is
// shown.
Result<RankTrace> ReadTrace(const std::string& path, const ReadOptions& options = {});
Result<RankTrace> ReadTrace(std::string_view bytes, const std::string& path);

}  // namespace rankscope::xplane
