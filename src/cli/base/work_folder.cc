#include "cli/base/work_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <system_error>

namespace rankscope::cli {

namespace fs = std::filesystem;

Result<WorkFolder> WorkFolder::Temporary() {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string name = (parent / "rankscope-work-XXXXXX").string();
  if (error || mkdtemp(name.data()) == nullptr)
    return Error(StatusCode::kIo, "cannot make a folder in {}; TMPDIR names another",
                 parent.string());
  return WorkFolder(std::move(name), true);
}

Result<WorkFolder> WorkFolder::Named(const std::string& path, std::string_view option) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return Error(StatusCode::kIo, "{}: {}", path, error.message());
  const bool is_empty = fs::is_empty(path, error);
  if (error || !is_empty)
    return Error(StatusCode::kInvalidArgument, "{} takes an empty or new folder, not {}", option,
                 path);
  return WorkFolder(fs::absolute(path).lexically_normal().string(), false);
}

Result<WorkFolder> WorkFolder::Existing(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::canonical(path, error);
  if (error) return Error(StatusCode::kIo, "{}: {}", path, error.message());
  return WorkFolder(absolute.string(), false);
}

WorkFolder::~WorkFolder() {
  std::error_code ignored;
  if (is_temporary_ && !path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace rankscope::cli
