// What torch.profiler's export_memory_timeline writes:
//   FILE.raw.json(.gz)  a list of changes: [time in ns or -1, action, bytes, category]
//   FILE.json(.gz)      levels: [[time in us, ...], [[0, bytes of each category...], ...]]
// Levels become the changes between them. What existed before the profile is a level of its own in
// front of the first one, at the same time.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "snapshot/category_timeline.h"

namespace rankscope::memory_timeline {

// Whether a file that begins so is one.
bool IsTimeline(std::string_view head);

// Streaming; 24 bytes for each change, and 8 for each time of levels. Anything that is not such a
// list is an error that names the path and the byte.
Result<snapshot::CategoryTimeline> Read(const std::string& path);
Result<snapshot::CategoryTimeline> Read(ByteSource& source, const std::string& path);

}  // namespace rankscope::memory_timeline
