// Files that survive a loss of power: their contents are synced to the disk, and so is the folder
// that holds their names.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope {

// A file under a temporary name in `folder`, moved to its place at the end: it is there complete or
// not at all. Destroyed before that, it is removed. A killed process leaves it to
// `RemoveLeftovers`.
class PendingFile {
 public:
  static Result<std::unique_ptr<PendingFile>> Create(const std::string& folder);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  Status Write(std::string_view bytes);
  // Like those of the file that it replaces; the owner only if this process may change it.
  Status SetRights(mode_t mode, uid_t user, gid_t group);
  // Moves it to `path`, on the same file system, replacing what is there; durable when it returns.
  Status MoveTo(const std::string& path);
  // The two steps before the sync of the folder, for callers that move many files: sync the
  // contents to the disk, and move the file to its place.
  Status Sync();
  Status Place(const std::string& path);
  std::uint64_t size() const { return size_; }

 private:
  PendingFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

// Makes a folder and its parents, and syncs them to the disk.
Status MakeFolder(const std::string& path);
Status SyncFolder(const std::string& path);
// Removes a file, durably. OK when it is not there.
Status RemoveDurably(const std::string& path);
// `temporary` is a folder of the same file system for the time of writing.
Status WriteDurably(const std::string& path, std::string_view content,
                    const std::string& temporary);
// Removes what PendingFile objects of killed processes left in a folder. Call it only if no other
// process writes there.
void RemoveLeftovers(const std::string& folder);

}  // namespace rankscope
