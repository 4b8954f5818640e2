#include "probe/source/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "probe/source/file_text.h"
#include "probe/source/paths.h"

namespace rankscope::probe {
namespace {

// An attribute of sysfs has a page at most. Tables of procfs are longer.
constexpr std::size_t kPage = 4096;
constexpr std::size_t kMostBytes = 16 * kPage;

ReadFault FaultOf(int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return ReadFault::kMissing;
    case ENODEV:
    case ENXIO:
    case ESTALE:
      return ReadFault::kGone;
    case EAGAIN:
    case ENODATA:
    case EBUSY:
    case EIO:
      return ReadFault::kBusy;
    case EACCES:
    case EPERM:
      return ReadFault::kRefused;
    default:
      return ReadFault::kUnreadable;
  }
}

Reading Failed(const std::string& path, int error) {
  return {.value = {},
          .fault = FaultOf(error),
          .why = fmt::format("{}: {}", path, std::strerror(error))};
}

Reading Failed(ReadFault fault, std::string why) {
  return {.value = {}, .fault = fault, .why = std::move(why)};
}

}  // namespace

Files::~Files() {
  for (auto& [key, open] : open_) Close(open);
}

void Files::Close(Open& open) {
  if (open.descriptor >= 0) close(open.descriptor);
  open.descriptor = -1;
}

void Files::Forget(const Instance& instance) {
  for (auto one = open_.begin(); one != open_.end();) {
    const bool is_its = !instance.folder.empty() && one->first.first == instance.folder;
    if (is_its) Close(one->second);
    one = is_its ? open_.erase(one) : std::next(one);
  }
}

Reading Files::OpenFile(const Key& key, Open& open) const {
  const auto& [folder, path] = key;
  const std::string pattern = path.starts_with('/') ? path : folder + "/" + path;
  const std::vector<std::string> found = Matches(root_, pattern);
  if (found.empty()) return Failed(pattern, ENOENT);
  open.path = found.front();
  if (!IsAllowed(root_, open.path))
    return Failed(ReadFault::kRefused,
                  fmt::format("{}: it leads out of /sys and /proc", open.path));
  // What is no plain file could make the open wait.
  open.descriptor =
      ::open((root_ + open.path).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (open.descriptor < 0) return Failed(open.path, errno);
  struct stat status {};
  if (fstat(open.descriptor, &status) == 0 && S_ISREG(status.st_mode)) return {};
  Close(open);
  return Failed(ReadFault::kUnreadable, fmt::format("{}: it is no regular file", open.path));
}

Reading Files::Read(const Source& source, const Instance& instance) {
  const Key key(source.path.starts_with('/') ? "" : instance.folder, source.path);
  Open& open = open_[key];
  struct stat status {};
  // A device that came back under its name has new files; so has a tree that a test swaps.
  const bool is_unlinked =
      open.descriptor >= 0 && fstat(open.descriptor, &status) == 0 && status.st_nlink == 0;
  if (is_unlinked) Close(open);
  if (open.descriptor < 0) {
    Reading opened = OpenFile(key, open);
    if (opened.fault != ReadFault::kNone) return opened;
  }
  std::string text(open.path.starts_with("/proc/") ? kMostBytes : kPage, '\0');
  const ssize_t size = pread(open.descriptor, text.data(), text.size(), 0);
  if (size < 0) {
    const int error = errno;
    Reading failed = Failed(open.path, error);
    // The next reading opens it by its path again.
    if (failed.fault == ReadFault::kGone) Close(open);
    return failed;
  }
  text.resize(static_cast<std::size_t>(size));
  return ValueOfText(text, source, open.path);
}

}  // namespace rankscope::probe
