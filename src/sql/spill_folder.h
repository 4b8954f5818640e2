// SpillFolder: a private folder for data that does not fit into memory, gone afterwards.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"

namespace rankscope::sql {

// Spilled data can be as big as the disk, so nothing may stay: the destructor removes the folder
// with all that is in it, and Create removes the folders of processes that died before they could.
// A folder in use holds a locked file, so that a living process's folder is never taken for a dead
// one's.
class SpillFolder {
 public:
  // Makes the folder inside `parent`; empty: $TMPDIR, else /var/tmp, else /tmp.
  static Result<std::unique_ptr<SpillFolder>> Create(const std::string& parent);
  ~SpillFolder();
  SpillFolder(const SpillFolder&) = delete;
  SpillFolder& operator=(const SpillFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  explicit SpillFolder(std::string path) : path_(std::move(path)) {}
  Status Lock();
  std::string path_;
  int lock_ = -1;  // descriptor of the locked file
};

}  // namespace rankscope::sql
