#include "base/durable.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/errno_text.h"

namespace rankscope {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "pending-";

}  // namespace

Result<std::unique_ptr<PendingFile>> PendingFile::Create(const std::string& folder) {
  std::string path = folder + "/" + std::string(kPrefix) + "XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0)
    return Error(StatusCode::kIo, "{}: cannot create a file: {}", folder, ErrnoText());
  return std::unique_ptr<PendingFile>(new PendingFile(std::move(path), descriptor));
}

PendingFile::~PendingFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(path_.c_str());
}

Status PendingFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      return Error(errno == ENOSPC || errno == EDQUOT ? StatusCode::kResource : StatusCode::kIo,
                   "{}: cannot write: {}", path_, ErrnoText());
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
    size_ += static_cast<std::uint64_t>(count);
  }
  return OkStatus();
}

Status PendingFile::SetRights(mode_t mode, uid_t user, gid_t group) {
  const bool is_given = fchown(descriptor_, user, group) == 0;
  if ((is_given || errno == EPERM) && fchmod(descriptor_, mode) == 0) return OkStatus();
  return Error(StatusCode::kIo, "{}: cannot set its rights: {}", path_, ErrnoText());
}

Status PendingFile::MoveTo(const std::string& path) {
  // Contents before the name: a name may not lead to a file that lost its bytes.
  RS_RETURN_IF_ERROR(Sync());
  RS_RETURN_IF_ERROR(Place(path));
  return SyncFolder(fs::path(path).parent_path().string());
}

Status PendingFile::Sync() {
  if (fsync(descriptor_) != 0)
    return Error(StatusCode::kIo, "{}: cannot sync: {}", path_, ErrnoText());
  return OkStatus();
}

Status PendingFile::Place(const std::string& path) {
  if (close(std::exchange(descriptor_, -1)) != 0 || rename(path_.c_str(), path.c_str()) != 0) {
    const Status status =
        Error(StatusCode::kIo, "{}: cannot finish writing: {}", path, ErrnoText());
    unlink(path_.c_str());
    return status;
  }
  return OkStatus();
}

Status MakeFolder(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return OkStatus();
  const std::string above = fs::path(path).parent_path().string();
  if (!above.empty()) RS_RETURN_IF_ERROR(MakeFolder(above));
  if (mkdir(path.c_str(), 0777) != 0 && errno != EEXIST)
    return Error(StatusCode::kIo, "{}: cannot make the folder: {}", path, ErrnoText());
  if (!fs::is_directory(path, error)) return Error(StatusCode::kIo, "{}: not a folder", path);
  Status synced = SyncFolder(above.empty() ? "." : above);
  // Who finds the folder relies on it.
  if (!synced.ok()) rmdir(path.c_str());
  return synced;
}

Status SyncFolder(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return Error(StatusCode::kIo, "{}: cannot open the folder: {}", path, ErrnoText());
  // Some file systems of clusters cannot sync folders, and say so.
  const bool is_synced = fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;
  const std::string why = ErrnoText();
  close(descriptor);
  return is_synced ? OkStatus() : Error(StatusCode::kIo, "{}: cannot sync: {}", path, why);
}

Status RemoveDurably(const std::string& path) {
  if (unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return OkStatus();
    return Error(StatusCode::kIo, "{}: cannot remove: {}", path, ErrnoText());
  }
  return SyncFolder(fs::path(path).parent_path().string());
}

Status WriteDurably(const std::string& path, std::string_view content,
                    const std::string& temporary) {
  RS_ASSIGN_OR_RETURN(const auto file, PendingFile::Create(temporary));
  RS_RETURN_IF_ERROR(file->Write(content));
  return file->MoveTo(path);
}

void RemoveLeftovers(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> leftovers;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().starts_with(kPrefix)) leftovers.push_back(entry.path());
  }
  for (const fs::path& path : leftovers) fs::remove(path, error);
}

}  // namespace rankscope
