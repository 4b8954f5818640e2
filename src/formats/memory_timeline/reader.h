// FILE.raw.json(.gz) of torch.profiler's export_memory_timeline: a list of [time in ns or -1,
// action, bytes, category].
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "snapshot/category_timeline.h"

namespace rankscope::memory_timeline {

// Whether a file that begins so is one.
bool IsTimeline(std::string_view head);

// Streaming; 24 bytes for each change. Anything that is not a list of such rows is an error that
// names the path and the byte.
Result<snapshot::CategoryTimeline> Read(const std::string& path);
Result<snapshot::CategoryTimeline> Read(ByteSource& source, const std::string& path);

}  // namespace rankscope::memory_timeline
