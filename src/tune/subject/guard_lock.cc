#include "tune/subject/guard_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace rankscope::tune {

Result<GuardLock> GuardLock::Take(const std::string& folder) {
  const std::string path = folder + "/lock";
  GuardLock lock(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (lock.descriptor_ < 0) return Error(StatusCode::kIo, "{}: {}", path, std::strerror(errno));
  if (flock(lock.descriptor_, LOCK_EX | LOCK_NB) == 0) return lock;
  if (errno != EWOULDBLOCK) return Error(StatusCode::kIo, "{}: {}", path, std::strerror(errno));
  return Error(StatusCode::kBadData, "another tuner is at work here ({})", path);
}

GuardLock::~GuardLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace rankscope::tune
