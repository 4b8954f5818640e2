// Reads a trace's metadata: the outer keys of the file, into TraceMeta.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/quality.h"
#include "trace/trace.h"

namespace rankscope::kineto {

// Understands baseTimeNanoseconds, distributedInfo, deviceProperties, host_name and trace_id;
// ignores other keys. Invalid values are reported and left unknown.
void ReadMetadata(const std::vector<std::pair<std::string, std::string>>& values, TraceMeta& meta,
                  QualityLog& quality);

}  // namespace rankscope::kineto
