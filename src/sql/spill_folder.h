// SpillFolder: a private, temporary folder for data that does not fit into memory.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"

namespace rankscope::sql {

// Spilled data can fill the disk, so none may stay behind: the destructor removes the folder with
// its contents, and Create removes the folders of processes that died before they could. A folder
// in use has a locked file, so that the folder of a living process is never mistaken for that of a
// dead one.
class SpillFolder {
 public:
  // Makes the folder inside `parent`; empty: $TMPDIR, else /var/tmp, else /tmp.
  static Result<std::unique_ptr<SpillFolder>> Create(const std::string& parent);
  ~SpillFolder();
  SpillFolder(const SpillFolder&) = delete;
  SpillFolder& operator=(const SpillFolder&) = delete;

  const std::string& path() const { return path_; }
  // The same folder, for this process alone and under a name that does not say where it lies:
  // "/proc/self/fd/7". The path where there is no /proc.
  std::string NameInProcess() const;

 private:
  explicit SpillFolder(std::string path) : path_(std::move(path)) {}
  Status Lock();
  std::string path_;
  int folder_ = -1;
  int lock_ = -1;  // descriptor of the locked file
};

}  // namespace rankscope::sql
