// KnownFiles: contents of files that were hashed before, known again by what the kernel changes
// when somebody writes to a file. Hashing a job of 1,000 ranks reads all of its bytes, 10 GB and
// more, before anything else is done; this reads one small file instead.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace rankscope {

// Of the file that a path leads to, links followed. Two files at the same time, or one before and
// after a write, differ in it.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
  std::int64_t written_ns = 0;  // since 1970: of the content
  std::int64_t changed_ns = 0;  // of the inode, too: nobody can set this one back
  friend auto operator<=>(const FileIdentity&, const FileIdentity&) = default;
};
// Nothing when there is no file.
std::optional<FileIdentity> IdentityOf(const std::string& path);

// Safe for many threads. Several processes may use one file: it is replaced whole, and what another
// one added meanwhile is kept, or, in a narrow moment, hashed again.
class KnownFiles {
 public:
  // The time stamps of some file systems have steps of two seconds: within so long after a change
  // another one might not show, so such a file is not known.
  static constexpr std::int64_t kSettle_ns = 2'000'000'000;
  static constexpr std::size_t kMost = 100'000;  // files; those that were noted first go first
  static constexpr std::string_view kFileName = "known-files.v1";

  // Reads what is noted in `folder`, a cache's; nothing when there is none, or it is damaged.
  explicit KnownFiles(std::optional<std::string> folder);

  std::optional<Hash128> Find(const FileIdentity& identity) const;
  // `hashed_ns`: when hashing began, by the clock of time stamps.
  void Note(const FileIdentity& identity, const Hash128& content, std::int64_t hashed_ns);
  // Writes what was noted since; does nothing without a folder, or when it cannot be written to.
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
