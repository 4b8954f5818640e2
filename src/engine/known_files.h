// KnownFiles: hashes of files that were hashed before, found by metadata that the kernel changes on
// writes. Hashing a job of 1,000 ranks reads all of its bytes, 10 GB and more, before anything else
// is done; this reads one small file instead.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace rankscope {

// Identity of the file at a path, following links. Two files at the same time, or one file before
// and after a write, have different identities.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t written_ns = 0;  // since 1970: of the content
  std::int64_t changed_ns = 0;  // also of the inode: it cannot be set back
  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};
// nullopt if there is no file.
std::optional<FileIdentity> IdentityOf(const std::string& path);

// Thread-safe. Several processes may use one file: it is replaced atomically, and entries added by
// another process are kept or, in a rare race, hashed again.
class KnownFiles {
 public:
  // Timestamps of some file systems have a resolution of two seconds. A second change within this
  // time might be invisible, so such a file is not recorded.
  static constexpr std::int64_t kSettle_ns = 2'000'000'000;
  static constexpr std::size_t kMost = 100'000;  // files; the oldest entries are removed first
  static constexpr std::string_view kFileName = "known-files.v1";

  // Reads the entries in `folder`, a cache's; none if the file is missing or damaged.
  explicit KnownFiles(std::optional<std::string> folder);

  std::optional<Hash128> Find(const FileIdentity& identity) const;
  // `hashed_ns`: when hashing began, on the clock of timestamps.
  void Note(const FileIdentity& identity, const Hash128& content, std::int64_t hashed_ns);
  // Writes new entries; does nothing without a folder, or if it is not writable.
  void Store();

 private:
  struct Noted {
    Hash128 content;
    std::uint64_t order = 0;
  };
  using Files = std::map<FileIdentity, Noted>;
  static Files Read(const std::string& path);

  const std::optional<std::string> path_;
  mutable std::mutex mutex_;
  Files files_;
  std::uint64_t next_ = 0;
  bool has_news_ = false;
};

}  // namespace rankscope
