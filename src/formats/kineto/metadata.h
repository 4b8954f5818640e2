// What a trace says about itself: the outer keys of the file, into TraceMeta.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "trace/quality.h"
#include "trace/trace.h"

namespace rankscope::kineto {

// Understands baseTimeNanoseconds, distributedInfo, deviceProperties, host_name and trace_id; every
// other key is ignored. Values that are not what they should be are reported and left unknown.
void ReadMetadata(const std::vector<std::pair<std::string, std::string>>& values, TraceMeta& meta,
                  QualityLog& quality);

}  // namespace rankscope::kineto
