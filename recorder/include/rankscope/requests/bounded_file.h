// A file of lines that never grows beyond a bound: when it is half as long as that it becomes
// PATH.1, in place of the one before, and a new one begins with a header of its own.
//
// Lines go to the kernel whole, so that the file is readable whenever the process ends.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

namespace rankscope::requests {

class BoundedFile {
 public:
  BoundedFile(std::string path, std::uint64_t most_bytes)
      : path_(std::move(path)), half_(most_bytes / 2) {}
  BoundedFile(const BoundedFile&) = delete;
  BoundedFile& operator=(const BoundedFile&) = delete;
  ~BoundedFile() { Close(); }

  // What was there under the name becomes PATH.1. Empty, or what went wrong.
  std::string Open(const std::string& header) {
    struct stat there {};
    if (::stat(path_.c_str(), &there) == 0 && S_ISREG(there.st_mode) && there.st_size > 0)
      ::rename(path_.c_str(), (path_ + ".1").c_str());
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
    if (descriptor_ < 0) return path_ + ": " + std::strerror(errno);
    size_ = 0;
    if (!Append(header)) return path_ + ": " + std::strerror(errno);
    return "";
  }

  // Whether the next lines are to begin a new file.
  bool IsFull() const { return size_ >= half_; }

  // All of it or nothing; false where the kernel does not take it (a full disk).
  bool Append(const std::string& lines) {
    if (descriptor_ < 0) return false;
    std::size_t done = 0;
    while (done < lines.size()) {
      const ssize_t wrote = ::write(descriptor_, lines.data() + done, lines.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote <= 0) {
        const int problem = errno;
        // A half line would spoil the one behind it.
        if (done > 0 && ::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0) Close();
        errno = problem;
        return false;
      }
      done += static_cast<std::size_t>(wrote);
    }
    size_ += lines.size();
    return true;
  }

  const std::string& path() const { return path_; }

 private:
  void Close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }

  std::string path_;
  std::uint64_t half_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;
};

}  // namespace rankscope::requests
