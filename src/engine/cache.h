// Where results of earlier runs lie: columnar traces and partials, keyed by content.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/hash.h"
#include "base/status.h"
#include "engine/partials.h"
#include "trace/trace.h"

namespace rankscope {

struct CacheOptions {
  bool enabled = true;
  std::string folder;  // empty: .rankscope beside each trace, or the user's cache folder where that
                       // cannot be written
  std::uint64_t limit_bytes = std::uint64_t{32}
                              << 30;  // per folder; the files used longest ago go first
};

// Safe for many threads and processes: files are written whole and renamed, damaged or stale ones
// are rebuilt, and a file that another process removes stays readable while it is mapped. A cache
// that cannot be written is no error, only slow.
class Cache {
 public:
  explicit Cache(CacheOptions options) : options_(std::move(options)) {}

  // The folder for the results of the trace at `path`, made if need be; nullopt when there is none
  // to write to.
  std::optional<std::string> FolderFor(const std::string& path) const;

  std::optional<RankTrace> FindTrace(const std::string& folder, const Hash128& key) const;
  // Files beyond the folder's limit go, those used longest ago first. Storing does this too, once
  // in a while.
  void Trim(const std::string& folder) const;

  void StoreTrace(const std::string& folder, const Hash128& key, const RankTrace& trace) const;

  // The partials of a trace that were stored, by stage; empty when there are none.
  Partials FindPartials(const std::string& folder, const Hash128& key) const;
  // Replaces them: one file per trace, since creating files is what takes longest. False when it
  // could not be written.
  bool StorePartials(const std::string& folder, const Hash128& key, const Partials& partials) const;

 private:
  void Stored(const std::string& folder, std::uint64_t bytes) const;

  CacheOptions options_;
  mutable std::atomic<std::uint64_t> stored_since_trim_{0};
};

}  // namespace rankscope
