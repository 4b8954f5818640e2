// Where results of earlier runs lie: columnar traces and partials, keyed by content.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/status.h"
#include "engine/partials.h"
#include "trace/trace.h"

namespace rankscope {

struct CacheOptions {
  bool enabled = true;
  // A folder that the user named, which several users may share; made if need be.
  std::string folder;
  // Where `folder` is empty: UserCacheFolder(). Made with mode 0700; it must be this user's, closed
  // to writing by others, and no symbolic link.
  std::string user_folder;
  std::uint64_t limit_bytes = std::uint64_t{32} << 30;
};

// rankscope's folder in the user's cache folder, from the values of $XDG_CACHE_HOME and $HOME;
// empty when neither is an absolute path.
std::string UserCacheFolder(std::string_view xdg_cache_home, std::string_view home);

// Safe for many threads and processes: files are written whole and renamed, and a file that another
// process removes stays readable while it is mapped. What lies in the folder is not trusted: files
// are checked when they are opened, links are not followed, and damaged files of this version are
// removed. A cache that cannot be written is no error, only slow.
//
// The folder's size is bounded. What this object stored or used stays while it lives; when that is
// all there is room for, columns are not stored any more, and those that it stored make room for
// its partials: columns save reading the trace again, partials that and the maps.
class Cache {
 public:
  explicit Cache(CacheOptions options);

  // Why there is no cache although one was wanted; a sentence for the user.
  const std::optional<std::string>& warning() const { return warning_; }

  // Whether nobody else can write to the folder.
  bool is_private() const { return is_private_; }

  // The folder for the results of any trace; nullopt when there is none.
  std::optional<std::string> FolderFor(const std::string& path) const;

  std::optional<RankTrace> FindTrace(const std::string& folder, const Hash128& key) const;
  void StoreTrace(const std::string& folder, const Hash128& key, const RankTrace& trace) const;

  // The partials of a trace that were stored, by stage; empty when there are none.
  Partials FindPartials(const std::string& folder, const Hash128& key) const;
  // Replaces them: one file per trace, since creating files is what takes longest. False when it
  // could not be written, or there is no room.
  bool StorePartials(const std::string& folder, const Hash128& key, const Partials& partials) const;

  // Removes what killed processes left half written and, while the folder is beyond its limit,
  // columns, then partials, used longest ago first. Storing does this too, once in a while.
  void Trim(const std::string& folder) const;

 private:
  // Notes a file of this run before it is written, for which its columns may have to go. False
  // when there is no room.
  bool Reserve(const std::string& folder, const std::string& name, std::uint64_t bytes) const;
  void Release(const std::string& name) const;
  void NoteUse(const std::string& name, std::uint64_t bytes) const;
  bool IsUsed(const std::string& name) const;
  void Stored(const std::string& folder, std::uint64_t bytes) const;

  CacheOptions options_;
  std::optional<std::string> folder_;
  std::optional<std::string> warning_;
  bool is_private_ = false;
  mutable std::atomic<std::uint64_t> stored_since_trim_{0};
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::uint64_t> used_;  // files of this run and their sizes
  mutable std::uint64_t used_bytes_ = 0;
};

}  // namespace rankscope
