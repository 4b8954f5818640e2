#include "service/runs/uploads.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/durable.h"
#include "store/sha256.h"

namespace rankscope::service {
namespace {

namespace fs = std::filesystem;

Status SystemError(const std::string& path, std::string_view what) {
  const int error = errno;
  return Error(error == ENOSPC || error == EDQUOT ? StatusCode::kResource : StatusCode::kIo,
               "{}: cannot {}: {}", path, what, std::strerror(error));
}

}  // namespace

Uploads::Writer::~Writer() {
  if (lock_ >= 0) close(lock_);
  const std::scoped_lock lock(uploads_.mutex_);
  uploads_.writing_.erase(key_);
}

std::unique_ptr<Uploads::Writer> Uploads::Lock(const std::string& run, const std::string& name) {
  std::pair<std::string, std::string> key(run, name);
  std::unique_lock lock(mutex_);
  if (!writing_.insert(key).second) return nullptr;
  auto writer = std::unique_ptr<Writer>(new Writer(*this, std::move(key)));
  if (lock_file_.empty()) return writer;
  lock.unlock();
  if (!LockAmongServers(run, name, writer->lock_)) return nullptr;
  return writer;
}

// The place of the byte is of a hash: two files that share one wait for each other, and that is
// all.
bool Uploads::LockAmongServers(const std::string& run, const std::string& name,
                               int& descriptor) const {
  descriptor = open(lock_file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return false;
  std::uint64_t place = 0;
  const std::string hash = store::Sha256Of(run + "/" + name);
  std::from_chars(hash.data(), hash.data() + 15, place, 16);  // 60 bits
  struct flock wanted {};
  wanted.l_type = F_WRLCK;
  wanted.l_whence = SEEK_SET;
  wanted.l_start = static_cast<off_t>(place);
  wanted.l_len = 1;
  return fcntl(descriptor, F_OFD_SETLK, &wanted) == 0;
}

std::string Uploads::PathOf(const std::string& run, const std::string& name) const {
  return folder_ + "/" + run + "/" + store::Sha256Of(name) + ".part";
}

std::uint64_t Uploads::Offset(const std::string& run, const std::string& name) const {
  struct stat status {};
  if (stat(PathOf(run, name).c_str(), &status) != 0) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

Result<std::unique_ptr<Uploads::Part>> Uploads::Append(const std::string& run,
                                                       const std::string& name) {
  {
    const std::scoped_lock lock(making_);
    RS_RETURN_IF_ERROR(MakeFolder(folder_ + "/" + run));
  }
  const std::string path = PathOf(run, name);
  const std::uint64_t offset = Offset(run, name);
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor < 0) return SystemError(path, "open");
  auto part = std::unique_ptr<Part>(new Part(path, descriptor, offset));
  // Its name, too, is durable before the first part is acknowledged.
  if (offset == 0) RS_RETURN_IF_ERROR(SyncFolder(folder_ + "/" + run));
  return part;
}

Uploads::Part::~Part() { close(descriptor_); }

Status Uploads::Part::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path_, "write");
    offset_ += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return OkStatus();
}

Result<std::uint64_t> Uploads::Part::Keep() {
  if (fdatasync(descriptor_) != 0) return SystemError(path_, "sync");
  return offset_;
}

Result<store::BlobInfo> Uploads::Complete(const std::string& run, const std::string& name) {
  // An empty file may have had no part.
  if (Offset(run, name) == 0) return store::StoreText(blobs_, "");
  return store::StoreFile(blobs_, PathOf(run, name));
}

void Uploads::Forget(const std::string& run, const std::string& name) {
  std::error_code error;
  fs::remove(PathOf(run, name), error);
}

void Uploads::ForgetRun(const std::string& run) {
  std::error_code error;
  fs::remove_all(folder_ + "/" + run, error);
}

}  // namespace rankscope::service
