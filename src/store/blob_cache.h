// BlobCache: contents of a store that is elsewhere, as files of this machine. Everything in it can
// be had again, so nothing in it is durable, and a part of it may be removed at any time.
//
//   FOLDER/ab/ab12..    a content, by its SHA-256
//   FOLDER/temporary/   what is being fetched or stored
//
// What is in it was hashed by this process before anybody gets its path. Above its bound the
// content that was used longest ago goes, but none that is held or was asked for within a minute:
// while those take more, the cache does.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "store/spool_file.h"

namespace rankscope::store {

struct BlobCacheOptions {
  std::uint64_t most_bytes = std::uint64_t{20} << 30;
  // Of the disk, in percent, that it leaves to others: it takes less than its bound for that.
  int free_pct = 5;
  // Only the process that writes to the store removes contents; others beside it add theirs.
  bool evicts = true;
  bool is_exclusive = false;                 // no other process may have it meanwhile
  std::function<std::int64_t()> now_s = {};  // any clock; empty: the system's
};

struct BlobCacheNumbers {
  std::uint64_t bytes = 0;
  std::int64_t contents = 0;
  std::int64_t fetched = 0;
  std::int64_t evicted = 0;
};

// Safe for many threads. What Hold returned has to end before it.
class BlobCache {
 public:
  // kResource where another process has it, and neither may share it.
  static Result<std::unique_ptr<BlobCache>> Open(std::string folder, BlobCacheOptions options);
  ~BlobCache();
  BlobCache(const BlobCache&) = delete;
  BlobCache& operator=(const BlobCache&) = delete;

  const std::string& temporary_folder() const { return temporary_; }

  // Writes a content to the file, which is empty.
  using Fetch = std::function<Status(SpoolFile& file)>;
  // The path of a content; fetched when it is not there, once for all that ask meanwhile.
  // kInternal when what comes has another hash, twice.
  Result<std::string> PathOf(std::string_view sha256, const Fetch& fetch);
  // Takes a content that was just stored, and whose hash is known.
  void Adopt(const std::string& sha256, SpoolFile& file);
  // It is no longer what its name says, or no longer wanted.
  void Forget(std::string_view sha256);
  // They stay, once they are there, as long as the object does.
  std::shared_ptr<const void> Hold(std::vector<std::string> sha256s);

  BlobCacheNumbers numbers() const;

 private:
  struct Entry {
    std::uint64_t bytes = 0;
    std::int64_t used_s = 0;
    bool is_verified = false;  // by this process
    std::list<std::string>::iterator place;
  };
  // Somebody fetches it.
  struct Flight {
    bool is_over = false;
    Status status;
  };

  BlobCache(std::string folder, BlobCacheOptions options);
  Status Lock();
  void Scan();
  std::string PlaceOf(std::string_view sha256) const;
  Status MakeFolderOf(std::string_view sha256) const;
  // Whether the file is there and what it is to be.
  bool IsSound(const std::string& sha256) const;
  Status Bring(const std::string& sha256, const Fetch& fetch);
  Status FetchOnce(const std::string& sha256, const Fetch& fetch, bool& is_wrong);
  void Note(const std::string& sha256, std::uint64_t bytes, bool is_verified);
  void EraseLocked(std::map<std::string, Entry, std::less<>>::iterator entry);
  void MakeRoomLocked(std::uint64_t most_bytes);
  // What the cache may have for the disk's sake.
  std::uint64_t RoomLocked() const;

  const std::string folder_;
  const std::string temporary_;
  const BlobCacheOptions options_;
  mutable std::mutex mutex_;
  std::condition_variable landed_;
  std::map<std::string, Entry, std::less<>> entries_;
  std::list<std::string> by_use_;  // the one used longest ago first
  std::map<std::string, std::shared_ptr<Flight>, std::less<>> flights_;
  std::map<std::string, int, std::less<>> held_;
  BlobCacheNumbers numbers_;
  int lock_ = -1;
};

}  // namespace rankscope::store
