// The folder in which a server or worker lets its children work. Of a cluster each process has one
// of its own in a folder that they share, which goes with it; what killed ones left goes with the
// next that begins.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"

namespace rankscope::service {

class WorkFolder {
 public:
  // `folder` itself, or with `is_shared` a new one in it.
  static Result<std::unique_ptr<WorkFolder>> Make(const std::string& folder, bool is_shared);
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  WorkFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  const std::string path_;
  const int lock_;  // -1: the folder stays
};

// HOST-PID: by what people find a process of a cluster.
std::string ProcessName();

}  // namespace rankscope::service
