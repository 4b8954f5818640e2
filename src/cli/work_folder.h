// A folder that starts out empty, for what a command makes beside its answer.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace rankscope::cli {

class WorkFolder {
 public:
  // Below $TMPDIR or /tmp; removed with this, and all that is in it.
  static Result<WorkFolder> Temporary();
  // Somebody's own, made where it is not there; stays. kInvalidArgument where something lies in it;
  // `option` is what named it.
  static Result<WorkFolder> Named(const std::string& path, std::string_view option);

  // One that is there, with what lies in it; stays.
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
