#include "agent/spool_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace rankscope::agent {
namespace {

constexpr mode_t kOwnersAlone = 0700;

// What is there is this user's alone.
Status CheckOwn(const std::string& folder) {
  struct stat status {};
  if (lstat(folder.c_str(), &status) != 0)
    return Error(StatusCode::kIo, "capture.spool_dir: {}: {}", folder, std::strerror(errno));
  if (!S_ISDIR(status.st_mode))
    return Error(StatusCode::kIo, "capture.spool_dir: {}: is no folder", folder);
  if (status.st_uid != geteuid())
    return Error(StatusCode::kIo,
                 "capture.spool_dir: {}: belongs to user {}, not to the agent's user {}: give "
                 "another one",
                 folder, status.st_uid, geteuid());
  if ((status.st_mode & 077) != 0)
    return Error(StatusCode::kIo,
                 "capture.spool_dir: {}: others may look into it or write to it: give a folder "
                 "of the agent's own, with mode 700",
                 folder);
  return OkStatus();
}

Status CannotMake(const std::string& folder) {
  return Error(StatusCode::kIo, "capture.spool_dir: {}: cannot be made: {}", folder,
               std::strerror(errno));
}

Status MakeOwn(const std::string& folder) {
  if (mkdir(folder.c_str(), kOwnersAlone) != 0 && errno != EEXIST) return CannotMake(folder);
  return CheckOwn(folder);
}

}  // namespace

Status CheckSpoolFolder(const std::string& asked) {
  if (asked.empty()) return OkStatus();
  if (access(asked.c_str(), F_OK) == 0) return CheckOwn(asked);
  const std::size_t slash = asked.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : asked.substr(0, slash + 1);
  return access(parent.c_str(), W_OK | X_OK) == 0 ? OkStatus() : CannotMake(asked);
}

Result<std::string> OwnSpoolFolder(const std::string& asked) {
  if (!asked.empty()) {
    RS_RETURN_IF_ERROR(MakeOwn(asked));
    return asked;
  }
  if (const char* const state = std::getenv("STATE_DIRECTORY"); state != nullptr && *state == '/') {
    const std::string_view folders = state;
    std::string folder = std::string(folders.substr(0, folders.find(':'))) + "/spool";
    RS_RETURN_IF_ERROR(MakeOwn(folder));
    return folder;
  }
  std::string folder = fmt::format("/tmp/rankscope-spool-{}", geteuid());
  if (MakeOwn(folder).ok()) return folder;
  folder += "-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return CannotMake(folder);
  return folder;
}

}  // namespace rankscope::agent
