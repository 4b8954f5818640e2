// Files that are still there after the machine lost its power: what is written is told to the disk,
// and so is the folder that holds its name.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"

namespace rankscope {

// A file under a temporary name in `folder`, which the end gives its place: whole or not there.
// Destroyed before that, it is removed; a killed process leaves it to `RemoveLeftovers`.
class PendingFile {
 public:
  static Result<std::unique_ptr<PendingFile>> Create(const std::string& folder);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  Status Write(std::string_view bytes);
  // As those of the file whose place it takes; the owner only where this process may give it away.
  Status SetRights(mode_t mode, uid_t user, gid_t group);
  // Moves it to `path`, on the same file system, replacing what is there; durable when it returns.
  Status MoveTo(const std::string& path);
  // The two steps before the folder is told, for callers that move many files: the disk is told of
  // the contents, and the file is given its place.
  Status Sync();
  Status Place(const std::string& path);
  std::uint64_t size() const { return size_; }

 private:
  PendingFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  std::string path_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

// Makes a folder, those above it too, and tells the disk.
Status MakeFolder(const std::string& path);
Status SyncFolder(const std::string& path);
// Removes a file, durably. OK when it is not there.
Status RemoveDurably(const std::string& path);
// `temporary` is a folder of the same file system for the time of writing.
Status WriteDurably(const std::string& path, std::string_view content,
                    const std::string& temporary);
// Removes what PendingFile objects of killed processes left in a folder. Only for who is sure that
// no other process writes there.
void RemoveLeftovers(const std::string& folder);

}  // namespace rankscope
