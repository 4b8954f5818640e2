#include "service/processes/work_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/durable.h"
#include "store/random_id.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "of-";
constexpr std::string_view kLock = "/lock";

// Locked, or -1 where somebody else has it.
int LockOf(const std::string& folder) {
  const int file = open((folder + std::string(kLock)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
  if (file >= 0) close(file);
  return -1;
}

// Of processes that have ended: nobody holds their locks.
void RemoveThoseOfTheDead(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    std::error_code ignored;
    // Without a lock it is being made.
    if (!entry.path().filename().string().starts_with(kPrefix) ||
        !fs::exists(path + std::string(kLock), ignored))
      continue;
    const int lock = LockOf(path);
    if (lock < 0) continue;
    fs::remove_all(path, ignored);
    close(lock);
  }
}

}  // namespace

Result<std::unique_ptr<WorkFolder>> WorkFolder::Make(const std::string& folder, bool is_shared) {
  RS_RETURN_IF_ERROR(MakeFolder(folder));
  if (!is_shared) return std::unique_ptr<WorkFolder>(new WorkFolder(folder, -1));
  RemoveThoseOfTheDead(folder);
  const std::string path =
      fmt::format("{}/{}{}-{}", folder, kPrefix, ProcessName(), store::RandomId());
  RS_RETURN_IF_ERROR(MakeFolder(path));
  const int lock = LockOf(path);
  if (lock < 0)
    return Error(StatusCode::kIo, "{}: cannot be locked: {}", path, std::strerror(errno));
  return std::unique_ptr<WorkFolder>(new WorkFolder(path, lock));
}

WorkFolder::~WorkFolder() {
  if (lock_ < 0) return;
  std::error_code error;
  fs::remove_all(path_, error);
  close(lock_);
}

std::string ProcessName() {
  char host[256] = {};
  if (gethostname(host, sizeof(host) - 1) != 0) host[0] = 0;
  // It becomes the name of a folder.
  std::string name = host;
  for (char& c : name) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || c == '-' || c == '.';
    if (!is_plain) c = '_';
  }
  return fmt::format("{}-{}", name.empty() ? "host" : name, getpid());
}

}  // namespace rankscope::service
