// BlobCache: files on this machine with contents of a remote store. All of them can be fetched
// again, so nothing in it is durable, and a part of it may be removed at any time.
//
//   FOLDER/ab/ab12..    a content, by its SHA-256
//   FOLDER/temporary/   what is being fetched or stored
//
// This process hashes every file before anybody gets its path. Above its limit the cache removes
// the content unused the longest, but none that is held or was requested within a minute. While
// those need more, the cache exceeds its limit.
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
  // The percentage of the disk that it leaves to others, by taking less than its limit if
  // necessary.
  int free_pct = 5;
  // Only the process that writes to the store removes contents; other processes add to them.
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

// Safe for many threads. Objects returned by Hold must end before it.
class BlobCache {
 public:
  // kResource if another process has it and one of them must not share it.
  static Result<std::unique_ptr<BlobCache>> Open(std::string folder, BlobCacheOptions options);
  ~BlobCache();
  BlobCache(const BlobCache&) = delete;
  BlobCache& operator=(const BlobCache&) = delete;

  const std::string& temporary_folder() const { return temporary_; }

  // Writes a content to the file, which is empty.
  using Fetch = std::function<Status(SpoolFile& file)>;
  // The path of a content. It is fetched if missing, once for all concurrent callers. kInternal if
  // the fetched data has another hash twice.
  Result<std::string> PathOf(std::string_view sha256, const Fetch& fetch);
  // Takes a content that was just stored, and whose hash is known.
  void Adopt(const std::string& sha256, SpoolFile& file);
  // Removes a content that is damaged or no longer wanted.
  void Forget(std::string_view sha256);
  // Contents stay, once fetched, as long as the object lives.
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
  // Whether the file exists and is intact.
  bool IsSound(const std::string& sha256) const;
  Status Bring(const std::string& sha256, const Fetch& fetch);
  Status FetchOnce(const std::string& sha256, const Fetch& fetch, bool& is_wrong);
  void Note(const std::string& sha256, std::uint64_t bytes, bool is_verified);
  void EraseLocked(std::map<std::string, Entry, std::less<>>::iterator entry);
  void MakeRoomLocked(std::uint64_t most_bytes);
  // The size that the disk allows for the cache.
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
