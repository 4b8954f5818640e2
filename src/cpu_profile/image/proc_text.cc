#include "cpu_profile/image/proc_text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace rankscope::cpu_profile {

std::string ReadProcText(const std::string& path, std::size_t most_bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  if (file < 0) return {};
  std::string text;
  struct stat status {};
  const bool is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  std::array<char, 1 << 14> piece{};
  while (is_file && text.size() < most_bytes) {
    const ssize_t got = read(file, piece.data(), std::min(piece.size(), most_bytes - text.size()));
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(file);
  return text;
}

}  // namespace rankscope::cpu_profile
