// CheckedFile: an untrusted file; every read position is checked.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::cpu_profile {

class CheckedFile {
 public:
  // Non-blocking, since the path may name a pipe.
  explicit CheckedFile(const std::string& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
    struct stat status {};
    is_file_ = number_ >= 0 && fstat(number_, &status) == 0 && S_ISREG(status.st_mode);
    if (is_file_) size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~CheckedFile() {
    if (number_ >= 0) close(number_);
  }
  CheckedFile(const CheckedFile&) = delete;
  CheckedFile& operator=(const CheckedFile&) = delete;

  bool is_file() const { return is_file_; }
  bool Read(std::uint64_t at, void* to, std::uint64_t bytes) const {
    if (at > size_ || bytes > size_ - at) return false;
    const ssize_t got = pread(number_, to, bytes, static_cast<off_t>(at));
    return got == static_cast<ssize_t>(bytes);
  }
  template <typename T>
  bool ReadAll(std::uint64_t at, std::uint64_t count, std::vector<T>& all) const {
    if (at > size_ || count > (size_ - at) / sizeof(T)) return false;
    all.resize(count);
    return count == 0 || Read(at, all.data(), count * sizeof(T));
  }

 private:
  const int number_;
  bool is_file_ = false;
  std::uint64_t size_ = 0;  // 0 if it is not a regular file
};

}  // namespace rankscope::cpu_profile
