// The folder in which the children of a server or worker work. In a cluster each process has its
// own in a shared folder and removes it at its end. The next process to start removes folders of
// killed ones.
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

// HOST-PID: the name by which people find a process of a cluster.
std::string ProcessName();

}  // namespace rankscope::service
