// ProcessFolder: the folder to which a training process was told to write, and the files that it
// wrote.
//
// A daemon of root must not be led to files that the process itself cannot reach. So the folder is
// opened in the process's own mounts and with its own rights (ActingAs), where links are followed
// as the process would follow them. A file in it counts if it is a regular file of the process's
// user, with one name, changed after the request. Everything later uses the descriptors opened
// then, never a path.
//
// Calls may wait for a file system. Safe for many threads.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "agent/base/acting_as.h"
#include "base/status.h"

namespace rankscope::agent {

class ProcessFolder;

// A file that a process wrote, open for reading. It outlives the process.
class WrittenFile {
 public:
  ~WrittenFile();
  WrittenFile(const WrittenFile&) = delete;
  WrittenFile& operator=(const WrittenFile&) = delete;

  // Reads are by offset (pread): several readers do not disturb each other.
  int descriptor() const { return descriptor_; }
  std::int64_t bytes() const { return bytes_; }
  std::int64_t changed_unix_ms() const { return changed_unix_ms_; }
  // As the process has it: for messages.
  std::string path() const;

  // Removes its name, as its user, if the name still belongs to it. False: it stays.
  bool Remove() const;
  // Writes a file of its name and `ending` beside it, as its user. kIo.
  Status WriteBeside(std::string_view ending, std::string_view text) const;

 private:
  friend class ProcessFolder;
  WrittenFile(std::shared_ptr<const ProcessFolder> folder, std::string name, int descriptor)
      : folder_(std::move(folder)), name_(std::move(name)), descriptor_(descriptor) {}

  std::shared_ptr<const ProcessFolder> folder_;
  std::string name_;
  int descriptor_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t changed_unix_ms_ = 0;
};

// The process that writes, as the kernel named it.
struct TraceWriter {
  pid_t pid = 0;  // in the agent's namespace
  uid_t uid = static_cast<uid_t>(-1);
  std::uint64_t start_ticks = 0;  // ProcessInfo's: another process may get the number later
  bool is_contained = false;      // it has a container, and so other mounts than the agent
};

class ProcessFolder : public std::enable_shared_from_this<ProcessFolder> {
 public:
  // The folder of `path`, which is absolute or begins at the process's working directory. `root`:
  // of ReadProcessInfo. kNotFound: there is no such folder yet, or the process has ended; kIo with
  // a sentence: the process could not look into it, or the agent may not look into the process.
  static Result<std::shared_ptr<const ProcessFolder>> Open(const std::string& root,
                                                           const TraceWriter& writer,
                                                           std::string_view path);
  // Makes that folder and its parents as the process's user: Kineto writes only into existing
  // folders. An existing folder is left as it is. kIo with a sentence: the user may not, or the
  // agent may not act as the user.
  static Status Make(const std::string& root, const TraceWriter& writer, std::string_view path);
  ~ProcessFolder();
  ProcessFolder(const ProcessFolder&) = delete;
  ProcessFolder& operator=(const ProcessFolder&) = delete;

  // kNotFound: no file of that name was changed since (to a second); kBadData with a sentence: the
  // file there does not belong to the process.
  Result<std::shared_ptr<const WrittenFile>> Find(std::string_view name,
                                                  std::int64_t since_unix_ms) const;
  const std::string& path() const { return path_; }

 private:
  friend class WrittenFile;
  ProcessFolder(std::string path, FileRights rights, int descriptor)
      : path_(std::move(path)), rights_(std::move(rights)), descriptor_(descriptor) {}

  const std::string path_;
  const FileRights rights_;
  const int descriptor_;
};

// Splits a path: "/a/b.json" is "/a" and "b.json".
std::string_view FolderOf(std::string_view path);
std::string_view NameOf(std::string_view path);

}  // namespace rankscope::agent
