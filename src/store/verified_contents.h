// VerifiedContents: contents that this process has read and hashed, so that repeated work need not
// hash gigabytes each time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/status.h"
#include "store/blobs.h"

namespace rankscope::store {

// Safe for many threads.
class VerifiedContents {
 public:
  // `now_s`: seconds since 1970; empty: the system's clock.
  explicit VerifiedContents(std::function<std::int64_t()> now_s = {});

  // As Blobs::VerifiedPathOf, but a content is hashed again only if its file is another one than
  // the one hashed: another inode, size, time of writing or time of the inode's change, which
  // nobody can set back. Silent damage of the disk shows when the process restarts, and by
  // Store::Check. Costs a system call, and the first time reading all of the content, 1 to 2 GB/s.
  Result<std::string> PathOf(const Blobs& blobs, std::string_view sha256);

  // The number of contents hashed: for tests that count work.
  std::int64_t hashed() const;

 private:
  using Signature = std::array<std::int64_t, 7>;
  static Result<Signature> SignatureOf(const std::string& path);

  const std::function<std::int64_t()> now_s_;
  mutable std::mutex mutex_;
  std::map<std::string, Signature, std::less<>> known_;  // by SHA-256
  std::int64_t hashed_ = 0;
};

}  // namespace rankscope::store
