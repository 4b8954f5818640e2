#include "sql/spill_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace rankscope::sql {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "rankscope-spill-";
constexpr std::string_view kLockName = "lock";

std::string DefaultParent() {
  const char* wanted = std::getenv("TMPDIR");
  if (wanted != nullptr && *wanted != '\0') return wanted;
  return access("/var/tmp", W_OK | X_OK) == 0 ? "/var/tmp" : "/tmp";
}

bool IsOwnFolder(const fs::path& path) {
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

// A folder without a lock is about to get one.
void RemoveIfAbandoned(const fs::path& folder) {
  const int lock = open((folder / kLockName).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (lock < 0) return;
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  close(lock);
}

void RemoveAbandoned(const std::string& parent) {
  std::error_code error;
  for (fs::directory_iterator at(parent, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with(kPrefix) && IsOwnFolder(at->path()))
      RemoveIfAbandoned(at->path());
  }
}

}  // namespace

Result<std::unique_ptr<SpillFolder>> SpillFolder::Create(const std::string& parent) {
  const std::string inside = parent.empty() ? DefaultParent() : parent;
  RemoveAbandoned(inside);
  std::string path = fmt::format("{}/{}XXXXXX", inside, kPrefix);
  if (mkdtemp(path.data()) == nullptr) {
    return Error(StatusCode::kIo, "{}: cannot make a folder for spilled data: {}; name another one",
                 inside, std::strerror(errno));
  }
  auto folder = std::unique_ptr<SpillFolder>(new SpillFolder(std::move(path)));
  RS_RETURN_IF_ERROR(folder->Lock());
  folder->folder_ = open(folder->path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  return folder;
}

std::string SpillFolder::NameInProcess() const {
  std::string name = fmt::format("/proc/self/fd/{}", folder_);
  struct stat own {
  }, named{};
  const bool is_there = folder_ >= 0 && fstat(folder_, &own) == 0 &&
                        stat((name + "/").c_str(), &named) == 0 && named.st_ino == own.st_ino &&
                        named.st_dev == own.st_dev;
  return is_there ? name : path_;
}

// The lock gets its name when it is held, so that no one finds it free in between.
Status SpillFolder::Lock() {
  const std::string name = fmt::format("{}/{}", path_, kLockName);
  const std::string unnamed = name + ".new";
  lock_ = open(unnamed.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock_ < 0 || flock(lock_, LOCK_EX | LOCK_NB) != 0 ||
      rename(unnamed.c_str(), name.c_str()) != 0) {
    return Error(StatusCode::kIo, "{}: cannot lock: {}", path_, std::strerror(errno));
  }
  return OkStatus();
}

SpillFolder::~SpillFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
  if (lock_ >= 0) close(lock_);
  if (folder_ >= 0) close(folder_);
}

}  // namespace rankscope::sql
