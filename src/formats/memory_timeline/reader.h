// The output of torch.profiler's export_memory_timeline:
//   FILE.raw.json(.gz)  a list of changes: [time in ns or -1, action, bytes, category]
//   FILE.json(.gz)      levels: [[time in us, ...], [[0, bytes of each category...], ...]]
// Levels are converted to the changes between them. Memory that existed before the profile is an
// extra level before the first one, at the same time.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "formats/base/byte_source.h"
#include "snapshot/category_timeline.h"

namespace rankscope::memory_timeline {

// Recognises the format by the first bytes.
bool IsTimeline(std::string_view head);

// Streaming; 24 bytes per change, and 8 per time of levels. Any other content is an error that
// names the path and the byte.
Result<snapshot::CategoryTimeline> Read(const std::string& path);
Result<snapshot::CategoryTimeline> Read(ByteSource& source, const std::string& path);

}  // namespace rankscope::memory_timeline
