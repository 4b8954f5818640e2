#include "rerun/hooks.h"

#include <filesystem>
#include <system_error>

#include "base/file.h"

namespace rankscope::rerun {

Result<std::string> WriteHooks(const std::string& folder) {
  const std::filesystem::path package = std::filesystem::path(folder) / "rankscope_hooks";
  for (const HookFile& file : HookFiles()) {
    const std::filesystem::path path = package / file.path;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error)
      return Error(StatusCode::kIo, "{}: {}", path.parent_path().string(), error.message());
    RS_RETURN_IF_ERROR(WriteFileAtomically(path.string(), file.text));
  }
  return (package / "inject").string();
}

}  // namespace rankscope::rerun
