#include "agent/base/small_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rankscope::agent {

Result<std::string> ReadSmallFile(const std::string& path, std::size_t most) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) {
    const StatusCode code = errno == ENOENT || errno == ENOTDIR || errno == ESRCH
                                ? StatusCode::kNotFound
                                : StatusCode::kIo;
    return Error(code, "{}: {}", path, std::strerror(errno));
  }
  std::string text;
  char buffer[16384];
  Status wrong = OkStatus();
  for (;;) {
    const ssize_t got = read(file, buffer, sizeof(buffer));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) wrong = Error(StatusCode::kIo, "{}: {}", path, std::strerror(errno));
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
    if (text.size() > most) {
      wrong = Error(StatusCode::kResource, "{}: more than {} bytes", path, most);
      break;
    }
  }
  close(file);
  if (!wrong.ok()) return wrong;
  return text;
}

}  // namespace rankscope::agent
