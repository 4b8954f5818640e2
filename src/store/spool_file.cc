#include "store/spool_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/file.h"

namespace rankscope::store {
namespace {

Status SystemError(const std::string& path, std::string_view what) {
  const int error = errno;
  const bool is_full = error == ENOSPC || error == EDQUOT;
  return Error(is_full ? StatusCode::kResource : StatusCode::kIo, "{}: cannot {}: {}", path, what,
               std::strerror(error));
}

}  // namespace

Result<std::unique_ptr<SpoolFile>> SpoolFile::Create(const std::string& folder) {
  std::string path = folder + "/pending-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) return SystemError(folder, "create a file");
  return std::unique_ptr<SpoolFile>(new SpoolFile(std::move(path), descriptor));
}

SpoolFile::~SpoolFile() {
  close(descriptor_);
  if (!path_.empty()) unlink(path_.c_str());
}

Status SpoolFile::Failed(std::string_view what) const { return SystemError(path_, what); }

Status SpoolFile::Write(std::string_view bytes) {
  if (!WriteWhole(descriptor_, bytes.data(), bytes.size())) return Failed("write");
  hash_->Add(bytes);
  size_ += bytes.size();
  return OkStatus();
}

Status SpoolFile::Restart() {
  if (ftruncate(descriptor_, 0) != 0 || lseek(descriptor_, 0, SEEK_SET) != 0)
    return Failed("empty");
  hash_ = std::make_unique<Sha256>();
  size_ = 0;
  return OkStatus();
}

std::string SpoolFile::Hex() { return hash_->Hex(); }

Status SpoolFile::Place(const std::string& path) {
  if (std::rename(path_.c_str(), path.c_str()) != 0) return Failed("move");
  path_.clear();
  return OkStatus();
}

}  // namespace rankscope::store
