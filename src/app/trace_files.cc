#include "app/trace_files.h"

#include <filesystem>
#include <system_error>

#include "engine/discover.h"

namespace rankscope::app {

Result<std::vector<TraceFile>> TraceFilesOf(const std::vector<std::string>& paths) {
  RS_ASSIGN_OR_RETURN(const FoundFiles found, FindTraceFiles(paths));
  std::vector<TraceFile> files;
  files.reserve(found.paths.size());
  for (const std::string& path : found.paths) {
    std::error_code error;
    const std::uintmax_t bytes = std::filesystem::file_size(path, error);
    files.push_back({path, error ? 0 : bytes});
  }
  return files;
}

}  // namespace rankscope::app
