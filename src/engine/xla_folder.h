// Folders that the profilers of JAX and TensorFlow write:
//
//   plugins/profile/TIME/HOST.xplane.pb          the trace
//   plugins/profile/TIME/HOST.trace.json.gz      its longest events once more
//   plugins/profile/TIME/perfetto_trace.json.gz  the same, with create_perfetto_trace
#pragma once

#include <filesystem>

namespace rankscope {

// Whether a file lies in such a folder and holds what the XPlane file beside it has.
bool IsBesideXplane(const std::filesystem::path& path);

}  // namespace rankscope
