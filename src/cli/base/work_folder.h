// An initially empty folder for files that a command makes besides its result.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace rankscope::cli {

class WorkFolder {
 public:
  // Below $TMPDIR or /tmp; removed, with its contents, together with this object.
  static Result<WorkFolder> Temporary();
  // A folder of the user, created if missing; it stays. kInvalidArgument if it is not empty.
  // `option` is the option that named it.
  static Result<WorkFolder> Named(const std::string& path, std::string_view option);

  // An existing folder with its contents; it stays.
  static Result<WorkFolder> Existing(const std::string& path);

  ~WorkFolder();
  WorkFolder(WorkFolder&& other) noexcept
      : path_(std::exchange(other.path_, "")), is_temporary_(other.is_temporary_) {}
  WorkFolder& operator=(WorkFolder&&) = delete;

  const std::string& path() const { return path_; }  // absolute

 private:
  WorkFolder(std::string path, bool is_temporary)
      : path_(std::move(path)), is_temporary_(is_temporary) {}

  std::string path_;
  bool is_temporary_;
};

}  // namespace rankscope::cli
