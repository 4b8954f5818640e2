// Folders that the profilers of JAX and TensorFlow write:
//
//   plugins/profile/TIME/HOST.xplane.pb          the trace
//   plugins/profile/TIME/HOST.trace.json.gz      its longest events once more
//   plugins/profile/TIME/perfetto_trace.json.gz  the same, with create_perfetto_trace
#pragma once

#include <filesystem>

namespace rankscope {

// Whether a file is in such a folder and has the same content as the XPlane file beside it.
bool IsBesideXplane(const std::filesystem::path& path);

}  // namespace rankscope
