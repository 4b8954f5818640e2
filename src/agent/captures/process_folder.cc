#include "agent/captures/process_folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/base/small_file.h"
#include "agent/captures/process_info.h"
#include "base/file.h"

namespace rankscope::agent {
namespace {

// Closed at the end, unless it is given away.
class Opened {
 public:
  explicit Opened(int descriptor) : descriptor_(descriptor) {}
  ~Opened() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  Opened(Opened&& other) noexcept : descriptor_(other.Release()) {}
  Opened& operator=(Opened&&) = delete;
  int get() const { return descriptor_; }
  int Release() { return std::exchange(descriptor_, -1); }
  void Reset(int descriptor) {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = descriptor;
  }

 private:
  int descriptor_;
};

int OpenAt2(int folder, const char* path, std::uint64_t flags, std::uint64_t resolve) {
  open_how how{};
  how.flags = flags;
  how.resolve = resolve;
  return static_cast<int>(syscall(SYS_openat2, folder, path, &how, sizeof(how)));
}

// Linux before 5.6 lacks it, and filters of old container runtimes forbid it.
bool HasOpenAt2() {
  static const bool has = [] {
    const Opened root(OpenAt2(AT_FDCWD, "/", O_PATH | O_CLOEXEC, 0));
    return root.get() >= 0;
  }();
  return has;
}

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;

// `path` below `root`, links within it followed. Without openat2 links are refused: one that is
// absolute would leave the process's root.
int OpenFolder(int root, const std::string& path) {
  const std::string below = "./" + path;
  if (HasOpenAt2()) return OpenAt2(root, below.c_str(), kFolderFlags, RESOLVE_IN_ROOT);
  Opened at(openat(root, ".", kFolderFlags));
  for (std::size_t begin = 0; begin < path.size() && at.get() >= 0;) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string part = path.substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      errno = EXDEV;
      return -1;
    }
    at.Reset(openat(at.get(), part.c_str(), kFolderFlags | O_NOFOLLOW));
  }
  return at.Release();
}

int OpenFile(int folder, const std::string& name) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  if (HasOpenAt2())
    return OpenAt2(folder, name.c_str(), kFlags, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
  return openat(folder, name.c_str(), kFlags);
}

// By the status, which the owner cannot set back.
std::int64_t ChangedMs(const struct stat& status) {
  return std::int64_t{status.st_ctim.tv_sec} * 1000 + status.st_ctim.tv_nsec / 1'000'000;
}

std::string WorkingFolder(const std::string& process) {
  char link[4096];
  const ssize_t length = readlink((process + "/cwd").c_str(), link, sizeof(link));
  return length > 0 ? std::string(link, static_cast<std::size_t>(length)) : "";
}

bool IsSameProcess(const std::string& root, const TraceWriter& writer) {
  return StartTicksOf(root, writer.pid) == writer.start_ticks;
}

// Where a path of a process leads.
struct Place {
  Opened base;         // its root
  std::string folder;  // below that
  FileRights rights;   // its user's
};

Result<Place> PlaceOf(const std::string& root, const TraceWriter& writer, std::string_view path) {
  const std::string process = root + "/proc/" + std::to_string(writer.pid);
  const auto ended = [&] {
    return Error(StatusCode::kNotFound, "process {} has ended", writer.pid);
  };
  if (!IsSameProcess(root, writer)) return ended();
  std::string folder(FolderOf(path));
  if (!folder.starts_with('/')) folder = WorkingFolder(process) + "/" + folder;
  Opened base(open((process + "/root").c_str(), kFolderFlags));
  if (base.get() < 0) {
    if (errno == ENOENT || errno == ESRCH) return ended();
    // The same path may be somebody else's file out here.
    if (writer.is_contained)
      return Error(StatusCode::kIo,
                   "{}: lies in a container, which the agent may not look into: that takes "
                   "CAP_SYS_PTRACE",
                   folder);
    base.Reset(open("/", kFolderFlags));
  }
  const Result<std::string> status = ReadSmallFile(process + "/status");
  if (!status.ok()) return ended();
  RS_ASSIGN_OR_RETURN(FileRights rights, FileRightsIn(*status, writer.uid));
  // What was read so far is of one process.
  if (!IsSameProcess(root, writer)) return ended();
  return Place{std::move(base), std::move(folder), std::move(rights)};
}

}  // namespace

std::string_view FolderOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return "";
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string_view NameOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

Result<std::shared_ptr<const ProcessFolder>> ProcessFolder::Open(const std::string& root,
                                                                 const TraceWriter& writer,
                                                                 std::string_view path) {
  RS_ASSIGN_OR_RETURN(Place place, PlaceOf(root, writer, path));
  int found = -1;
  int problem = 0;
  {
    const ActingAs them(place.rights);
    found = OpenFolder(place.base.get(), place.folder);
    problem = errno;
  }
  if (found < 0)
    return Error(problem == ENOENT ? StatusCode::kNotFound : StatusCode::kIo,
                 "{}: the process's user cannot open this folder: {}", place.folder,
                 std::strerror(problem));
  return std::shared_ptr<const ProcessFolder>(
      new ProcessFolder(std::move(place.folder), std::move(place.rights), found));
}

Status ProcessFolder::Make(const std::string& root, const TraceWriter& writer,
                           std::string_view path) {
  RS_ASSIGN_OR_RETURN(const Place place, PlaceOf(root, writer, path));
  const ActingAs them(place.rights);
  if (!them.is_them())
    return Error(StatusCode::kIo,
                 "{}: there is no such folder, and the agent may not make it for user {}: that "
                 "takes CAP_SETUID and CAP_SETGID",
                 place.folder, place.rights.uid);
  for (std::size_t end = 0; end < place.folder.size();) {
    end = std::min(place.folder.find('/', end + 1), place.folder.size());
    const std::string part = place.folder.substr(0, end);
    if (Opened(OpenFolder(place.base.get(), part)).get() >= 0) continue;
    const Opened around(OpenFolder(place.base.get(), std::string(FolderOf(part))));
    if (around.get() < 0 || mkdirat(around.get(), std::string(NameOf(part)).c_str(), 0777) != 0)
      return Error(StatusCode::kIo,
                   "{}: there is no such folder, and the process's user cannot make it: {}",
                   place.folder, std::strerror(errno));
  }
  return OkStatus();
}

ProcessFolder::~ProcessFolder() { close(descriptor_); }

Result<std::shared_ptr<const WrittenFile>> ProcessFolder::Find(std::string_view name,
                                                               std::int64_t since_unix_ms) const {
  constexpr std::int64_t kClocksDifferMs = 1000;  // those of a file server and of this host
  const std::string own(name);
  int descriptor = -1;
  int problem = 0;
  {
    const ActingAs them(rights_);
    descriptor = OpenFile(descriptor_, own);
    problem = errno;
  }
  const auto none = [&](StatusCode code, std::string_view why) {
    return Error(code, "{}/{}: {}", path_, own, why);
  };
  if (descriptor < 0) {
    if (problem == ENOENT) return none(StatusCode::kNotFound, "is not there");
    if (problem == ELOOP) return none(StatusCode::kBadData, "is a link, and no file of its own");
    return none(StatusCode::kBadData, std::strerror(problem));
  }
  const std::shared_ptr<WrittenFile> file(new WrittenFile(shared_from_this(), own, descriptor));
  struct stat status {};
  if (fstat(descriptor, &status) != 0) return none(StatusCode::kBadData, std::strerror(errno));
  if (!S_ISREG(status.st_mode)) return none(StatusCode::kBadData, "is no regular file");
  if (status.st_uid != rights_.uid)
    return none(StatusCode::kBadData,
                fmt::format("belongs to user {}, and the process is user {}'s", status.st_uid,
                            rights_.uid));
  if (status.st_nlink != 1)
    return none(StatusCode::kBadData, "has several names: it may be another file than it seems");
  file->device_ = status.st_dev;
  file->inode_ = status.st_ino;
  file->bytes_ = status.st_size;
  file->changed_unix_ms_ = ChangedMs(status);
  if (file->changed_unix_ms_ + kClocksDifferMs < since_unix_ms)
    return none(StatusCode::kNotFound, "is from before the request");
  return std::shared_ptr<const WrittenFile>(file);
}

WrittenFile::~WrittenFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::string WrittenFile::path() const { return folder_->path() + "/" + name_; }

bool WrittenFile::Remove() const {
  const ActingAs them(folder_->rights_);
  struct stat status {};
  // Whoever exchanges it now loses a file that is his own to remove.
  return them.is_them() &&
         fstatat(folder_->descriptor_, name_.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         status.st_dev == device_ && status.st_ino == inode_ &&
         unlinkat(folder_->descriptor_, name_.c_str(), 0) == 0;
}

Status WrittenFile::WriteBeside(std::string_view ending, std::string_view text) const {
  const ActingAs them(folder_->rights_);
  if (!them.is_them())
    return Error(StatusCode::kIo,
                 "{}: the agent may not write for user {}: that takes CAP_SETUID and CAP_SETGID",
                 path(), folder_->rights_.uid);
  // The folder itself, whatever its path leads to by now.
  return WriteFileAtomically(
      fmt::format("/proc/self/fd/{}/{}{}", folder_->descriptor_, name_, ending), text);
}

}  // namespace rankscope::agent
