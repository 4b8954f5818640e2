#include "store/verified_contents.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

namespace rankscope::store {
namespace {

// A file that was changed so shortly before it was hashed may be changed again without another
// time: clocks of file systems are coarse.
constexpr std::int64_t kCoarse_s = 2;

}  // namespace

VerifiedContents::VerifiedContents(std::function<std::int64_t()> now_s)
    : now_s_(now_s ? std::move(now_s) : [] { return std::int64_t{std::time(nullptr)}; }) {}

Result<VerifiedContents::Signature> VerifiedContents::SignatureOf(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0)
    return Error(StatusCode::kIo, "{}: cannot look at it: {}", path, std::strerror(errno));
  return Signature{static_cast<std::int64_t>(info.st_dev),
                   static_cast<std::int64_t>(info.st_ino),
                   static_cast<std::int64_t>(info.st_size),
                   info.st_mtim.tv_sec,
                   info.st_mtim.tv_nsec,
                   info.st_ctim.tv_sec,
                   info.st_ctim.tv_nsec};
}

Result<std::string> VerifiedContents::PathOf(const Blobs& blobs, std::string_view sha256) {
  RS_ASSIGN_OR_RETURN(const std::string path, blobs.PathOf(sha256));
  RS_ASSIGN_OR_RETURN(const Signature before, SignatureOf(path));
  {
    const std::scoped_lock lock(mutex_);
    const auto known = known_.find(sha256);
    if (known != known_.end() && known->second == before) return path;
    if (known != known_.end()) known_.erase(known);
    ++hashed_;
  }
  const std::int64_t begin_s = now_s_();
  RS_RETURN_IF_ERROR(blobs.VerifiedPathOf(sha256).status());
  RS_ASSIGN_OR_RETURN(const Signature after, SignatureOf(path));
  const std::int64_t changed_s = before[5];
  if (before == after && changed_s + kCoarse_s < begin_s) {
    const std::scoped_lock lock(mutex_);
    known_.insert_or_assign(std::string(sha256), before);
  }
  return path;
}

std::int64_t VerifiedContents::hashed() const {
  const std::scoped_lock lock(mutex_);
  return hashed_;
}

}  // namespace rankscope::store
